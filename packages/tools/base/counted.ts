/** Formats a count with its unit: `1 row`, `2 rows`. */
export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}
