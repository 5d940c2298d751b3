import type { DatabasePlace } from "../../deploy/api.ts"
import { isAlive, shortHash, thisMachine } from "../process/is-alive.ts"
import {
  createDatabase,
  deleteDatabase,
  listDatabases,
  type ListedDatabase,
  readDetails,
} from "./d1-account.ts"

/** Milliseconds after which a scratch database of another machine is of a run that was killed. */
const lifetime = 6 * 60 * 60 * 1000

export type ScratchD1 = AsyncDisposable & DatabasePlace

/**
 * A database beside a stack's own, in the same jurisdiction, that is deleted again. Its name says of
 * which database, machine and process it is, so that a later run can delete what a killed one left.
 */
export async function createScratchD1(place: DatabasePlace): Promise<ScratchD1> {
  const { jurisdiction } = await readDetails(place)
  const databaseId = await createDatabase(place, {
    name: scratchNameOf(place, process.pid),
    ...(jurisdiction ? { jurisdiction } : {}),
  })
  const scratch = { ...place, databaseId }
  return { ...scratch, [Symbol.asyncDispose]: () => deleteDatabase(scratch) }
}

/** Deletes what killed runs left; returns the names. */
export async function sweepScratchD1(place: DatabasePlace): Promise<string[]> {
  const found = (await listDatabases(place)).filter((one) => isLeft(place, one))
  for (const { uuid } of found) await deleteDatabase({ ...place, databaseId: uuid })
  return found.map(({ name }) => name)
}

function isLeft(place: DatabasePlace, { name, created_at: createdAt }: ListedDatabase): boolean {
  const [, prefix, host, pid] = /^(accounts-scratch-\w{8})-(\w{8})-(\d+)$/.exec(name) ?? []
  if (prefix !== prefixOf(place)) return false
  if (host === shortHash(thisMachine())) return Number(pid) === process.pid || !isAlive(Number(pid))
  return Date.now() - Date.parse(createdAt) > lifetime
}

/** The name that a process on this machine gives a scratch database. */
export function scratchNameOf(place: Pick<DatabasePlace, "databaseId">, pid: number): string {
  return `${prefixOf(place)}-${shortHash(thisMachine())}-${pid}`
}

function prefixOf({ databaseId }: Pick<DatabasePlace, "databaseId">): string {
  return `accounts-scratch-${shortHash(databaseId)}`
}
