import type { SchemaObject } from "../schema/scratch-database.ts"

/** Wrangler's own ledger: `wrangler d1 migrations list` and `apply` work on it, too. */
export const ledgerTable = "d1_migrations"

/** Holds what wrangler's ledger has no column for. */
export const sidecarTable = "accounts_migrations"

const ownTables = new Set([ledgerTable, sidecarTable])

/** Whether there is a table beside those that record migrations. */
export function mayHaveRows(objects: SchemaObject[]): boolean {
  return objects.some(({ type, name }) => type === "table" && !ownTables.has(name))
}

export function isOwnTable(name: string): boolean {
  return ownTables.has(name.toLowerCase())
}
