/** Text that others may choose: no mention, no link, no HTML, no line of its own, nothing that is not seen. */
export function code(text: string): string {
  const line = text.replaceAll("`", "'").replaceAll(/\s*\n\s*/g, " ")
  return `\`${line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeOf)}\``
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

export function list(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join("\n")
}
