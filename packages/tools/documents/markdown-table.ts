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
