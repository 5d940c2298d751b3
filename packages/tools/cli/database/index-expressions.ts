/** The part of drizzle-kit's snapshot that shows which columns of an index are expressions. */
export type ExpressionSnapshot = {
  internal?: { indexes?: Record<string, { columns: Record<string, unknown> }> } | undefined
}

/**
 * Restores the expressions of indexes: drizzle-kit treats an index as a list of columns, splits an expression at
 * its commas, and quotes the parts.
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
