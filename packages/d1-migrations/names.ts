import { folded } from "./sql/folded.ts"

/** Names that databases, files and messages contain, so they outlive the program that chose them. */
export type Names = {
  /** Wrangler's ledger, its `migrations_table`: `wrangler d1 migrations list` and `apply` use it as well. */
  ledger: string
  /** The table that holds what wrangler's ledger has no column for. */
  sidecar: string
  /** How a declaration begins: `-- d1:loses …`. */
  declarations: string
  /** The command that a message tells people to run. */
  command: string
}

export const usualNames: Names = {
  ledger: "d1_migrations",
  sidecar: "d1_migrations_sidecar",
  declarations: "d1",
  command: "d1-migrations",
}

/** Whether a table records migrations. */
export function isOwnTable(name: string, { ledger, sidecar }: Names): boolean {
  return [ledger, sidecar].some((ownTable) => folded(ownTable) === folded(name))
}
