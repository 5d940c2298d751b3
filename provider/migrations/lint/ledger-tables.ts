import { ledgerTable, sidecarTable } from "../own-tables.ts"

const ledgers = new Set([ledgerTable, sidecarTable])

/** A table that says which migrations are applied. */
export function isLedger(table: string): boolean {
  return ledgers.has(table.toLowerCase())
}
