/**
 * Whether D1 itself failed, not the SQL. Cloudflare gives both the same code, so only the words tell
 * them apart. After an outage the query may have been committed.
 */
export function isOutage(error: { message: string }): boolean {
  return outages.some((pattern) => pattern.test(error.message))
}

/** From developers.cloudflare.com/d1/observability/debug-d1, and SQLite without space or access. */
const outages = [
  /^(?:D1_ERROR: )?(?:Network connection lost|Cannot resolve D1 DB|Can't read from request stream)/,
  /^(?:D1_ERROR: )?D1 DB(?:'s isolate)? (?:reset|storage operation exceeded|is overloaded|exceeded)/,
  /Exceeded maximum DB size/,
  /internal error/i,
  /SQLITE_(?:FULL|BUSY|LOCKED|IOERR|NOMEM|INTERRUPT)/,
]
