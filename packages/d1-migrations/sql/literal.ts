/** Text as a string in SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Parts joined by an operator, not deeper than need be: D1 limits the depth of an expression to 100. */
export function balanced(parts: string[], operator: "+" | "AND" | "OR" | "||"): string {
  const [first = "0"] = parts
  if (parts.length <= 1) return first
  const middle = Math.ceil(parts.length / 2)
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)]
  return `(${balanced(left, operator)} ${operator} ${balanced(right, operator)})`
}
