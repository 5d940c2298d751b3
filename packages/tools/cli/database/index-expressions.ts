/** As much of drizzle-kit's snapshot as tells which columns of an index are expressions. */
export type ExpressionSnapshot = {
  internal?: { indexes?: Record<string, { columns: Record<string, unknown> }> } | undefined
}

/**
 * Puts the expressions of indexes back as they were written: drizzle-kit takes an index for a list of columns,
 * also where an expression has commas, and quotes its parts.
 */
export function withExpressions(sql: string, { internal = {} }: ExpressionSnapshot): string {
  const expressions = Object.values(internal.indexes ?? {}).flatMap(({ columns }) =>
    Object.keys(columns),
  )
  return expressions.reduce(
    (text, expression) => text.replaceAll(`\`${expression.replaceAll(",", "`,`")}\``, expression),
    sql,
  )
}
