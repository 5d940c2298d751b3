/** Text that others may choose: no mention, no link, no HTML. */
export function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll(/\s*\n\s*/g, " ")}\``
}

export function list(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join("\n")
}
