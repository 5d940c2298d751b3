/** Wrangler's own ledger: `wrangler d1 migrations list` and `apply` work on it, too. */
export const ledgerTable = "d1_migrations"

/** Holds what wrangler's ledger has no column for. */
export const sidecarTable = "accounts_migrations"
