/** Text as a string in SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
