/** Cloudflare's code of a query that failed, for whatever reason. */
const failedQuery = 7500

/**
 * Whether a query failed for D1's own reasons and not because of its SQL: under the same code, and
 * told apart by words alone. A connection that was lost may have been lost after the commit.
 */
export function isTrouble(error: { code: number; message: string }): boolean {
  return error.code === failedQuery && words.some((pattern) => pattern.test(error.message))
}

/** Of developers.cloudflare.com/d1/observability/debug-d1, and of SQLite without room or access. */
const words = [
  /^(?:D1_ERROR: )?(?:Network connection lost|Cannot resolve D1 DB|Can't read from request stream)/,
  /^(?:D1_ERROR: )?D1 DB(?:'s isolate)? (?:reset|storage operation exceeded|is overloaded|exceeded)/,
  /internal error/i,
  /SQLITE_(?:FULL|BUSY|LOCKED|IOERR|NOMEM|INTERRUPT)/,
]
