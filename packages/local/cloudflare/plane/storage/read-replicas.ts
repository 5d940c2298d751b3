import { copyDatabase } from "../../d1/snapshot.ts"

export type Replica = {
  /** Names the copy, as the id of a database does. */
  id: string
  /** The primary's, from before the copy: it has at least what is older. */
  bookmark: string
}

export type ReadReplicas = ReturnType<typeof createReadReplicas>

type Options = {
  /** Milliseconds that the copy of a database lags; undefined where it has none. */
  lagOf: (database: string) => number | undefined
  fileOf: (id: string) => string
  /** The bookmark that the next query would get. */
  bookmarkOf: (database: string) => Promise<string>
}

export function replicaId(database: string): string {
  return `${database}-replica`
}

/**
 * One copy for each database with read replication. It is made anew for the first read after the lag,
 * so what it lacks is at most as old as the lag, and at least as old as the copy.
 */
export function createReadReplicas({ lagOf, fileOf, bookmarkOf }: Options) {
  const copies = new Map<string, { madeAt: number; replica: Promise<Replica> }>()

  async function copy(database: string): Promise<Replica> {
    const bookmark = await bookmarkOf(database)
    const id = replicaId(database)
    await copyDatabase(fileOf(database), fileOf(id))
    return { id, bookmark }
  }

  return {
    /** The copy that may answer reads of a database; undefined where it has none. */
    async find(database: string): Promise<Replica | undefined> {
      const lag = lagOf(database)
      if (lag === undefined) return undefined
      const known = copies.get(database)
      if (known !== undefined && Date.now() - known.madeAt < lag) return known.replica
      const replica = copy(database)
      copies.set(database, { madeAt: Date.now(), replica })
      replica.catch(() => copies.delete(database))
      return replica
    },
    /** Forgets the copy of a database that is about to be dropped. */
    drop: (database: string) => void copies.delete(database),
  }
}
