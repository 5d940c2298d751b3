import * as z from "zod"

import { type Api, ApiError } from "../api.ts"
import type { Applied } from "./history.ts"
import { ledgerTable, listLedgerTables, readLedger, readSidecar, sidecarTable } from "./ledger.ts"

export type Database = {
  /** Reads, or does nothing the second time: sent again when the answer is lost. */
  ask(sql: string): Promise<unknown[][]>
  /** Sent once. All statements of `sql` happen, or none. */
  change(sql: string): Promise<void>
  /** The ledger as it is now, oldest first. */
  applied(): Promise<Applied[]>
}

const Results = z.array(
  z.object({ success: z.boolean(), error: z.string().optional(), results: z.array(z.unknown()) }),
)
const LedgerTable = z.object({ name: z.string() })
const LedgerRow = z.object({ name: z.string() })
const SidecarRow = z.object({ name: z.string(), sha256: z.string() })

export function openDatabase(options: {
  api: Api
  accountId: string
  databaseId: string
}): Database {
  const { api } = options
  const account = encodeURIComponent(options.accountId)
  const path = `/accounts/${account}/d1/database/${encodeURIComponent(options.databaseId)}/query`

  const ask = async (sql: string) => rows(path, await api.query(path, { sql }, Results))
  const change = async (sql: string) => void rows(path, await api.post(path, { sql }, Results))

  const applied = async (): Promise<Applied[]> => {
    const [tables = []] = await ask(listLedgerTables)
    const names = new Set(tables.map((row) => LedgerTable.parse(row).name))
    const reads = [
      ...(names.has(ledgerTable) ? [readLedger] : []),
      ...(names.has(sidecarTable) ? [readSidecar] : []),
    ]
    if (reads.length === 0) return []
    // In one request, for one moment: a run that was killed may still be migrating.
    const results = await ask(reads.map((sql) => `${sql};`).join("\n"))
    const ledger = names.has(ledgerTable) ? (results[0] ?? []) : []
    const sidecar = names.has(sidecarTable) ? (results.at(-1) ?? []) : []
    return join(
      ledger.map((row) => LedgerRow.parse(row).name),
      sidecar.map((row) => SidecarRow.parse(row)),
    )
  }
  return { ask, change, applied }
}

function join(ledger: string[], sidecar: z.infer<typeof SidecarRow>[]): Applied[] {
  const orphan = sidecar.find((row) => !ledger.includes(row.name))
  if (orphan !== undefined) {
    throw new Error(
      `${sidecarTable} records ${orphan.name} as applied but ${ledgerTable} does not: a row was ` +
        `deleted by hand. Put it back, or delete the row of ${sidecarTable} too if the migration ` +
        `was really undone.`,
    )
  }
  return ledger.map((name) => ({ name, sha256: sidecar.find((row) => row.name === name)?.sha256 }))
}

/** D1 may answer 200 and still say that a statement failed. */
function rows(path: string, results: z.infer<typeof Results>): unknown[][] {
  const failed = results.find((result) => !result.success)
  if (failed === undefined) return results.map((result) => result.results)
  const said = failed.error ?? "a statement failed without a reason"
  throw new ApiError(`POST ${path}: 200, but success is false: ${said}`, {
    lost: true,
    status: 200,
  })
}
