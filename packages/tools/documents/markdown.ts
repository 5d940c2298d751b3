/** A table of Markdown, aligned as the formatter would. */
export function markdownTable(columns: string[], rows: string[][]): string {
  // After a backslash of its own, the one that is put before `|` would be text, and `|` would end the cell.
  const escape = (cell: string) => cell.replaceAll(/\\(?=\|)/g, "\\ ").replaceAll("|", "\\|")
  const escaped = rows.map((row) => row.map(escape))
  const widths = columns.map((column, index) =>
    Math.max(3, column.length, ...escaped.map((row) => row[index]?.length ?? 0)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`
  const rule = widths.map((width) => "-".repeat(width))
  return [columns, rule, ...escaped].map(line).join("\n")
}

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
