import { assumed, Unanswered, type Database } from "./database.ts"
import {
  readRows,
  type Action,
  type Cell,
  type Place,
  type Places,
  type Rows,
  type Statements,
} from "./statements.ts"
import type { Clock } from "./testing/clock.ts"

export type World = {
  clock: Clock
  random: () => number
  directory: { database: Database; places: Places }
  cells: Cell[]
  /** Where newcomers go. */
  anyCell: () => Cell
}

type Visit<Answer> = {
  address: string
  /** As the session's signed cookie names it; without it the directory is asked. */
  place?: Place | undefined
  kind: "read" | "write"
  action: Action<Answer>
}

/** Milliseconds: how long a request waits for a move before it ends it, and between two looks. */
const patience = 3000
const pause = 20

export type Protocol = ReturnType<typeof createProtocol>

/** How a request finds the member's cell, and how a member moves to another one. */
export function createProtocol({ clock, directory, anyCell }: World, sql: Statements) {
  const { database, places } = directory
  const locate = (address: string) =>
    database.ask({ kind: "read", apply: () => sql.locate(places, address) })
  const claim = (address: string) =>
    database.ask({ kind: "write", apply: () => sql.claim(places, address) })

  /** Asks the member's cell, wherever it is by now. */
  async function visit<Answer>({ address, place, kind, action }: Visit<Answer>) {
    const began = clock.now()
    let known = place ?? (await locate(address))
    while (known !== undefined) {
      const { cell, version } = known
      const apply = () => sql.serve(cell, address, version, action)
      const { answer, fencedAt } = await cell.database.ask({ kind, apply })
      if (fencedAt === undefined) return { answer, place: known }
      known = await locate(address)
      // What was read is still true if the move that has fenced it has not switched since.
      if (known?.version === fencedAt && known.cell === cell) {
        if (answer !== undefined) return { answer, place: known }
        const waited = clock.now() - began
        if (waited > assumed.requestLimit) throw new Unanswered(cell.database, "fenced")
        await (waited > patience ? claim(address) : clock.sleep(pause))
      }
    }
    return { answer: undefined, place: undefined }
  }

  return {
    visit,

    /** The directory first. Two sign-ups with one address meet in one cell, which takes one of them. */
    async signUp(address: string, rows: Rows) {
      const place = await database.ask({
        kind: "write",
        apply: () => sql.reserve(places, address, anyCell()),
      })
      const action: Action<"taken" | "welcome"> = (there) =>
        there === undefined ? { answer: "welcome", rows } : { answer: "taken" }
      return visit({ address, place, kind: "write", action })
    },

    /**
     * Wherever this ends, because a step is not answered or another claim was made, the member stays
     * where the directory says, and `sweep` deletes what the attempt has left.
     * @param lost the share of steps that the mover does not survive
     */
    async move(address: string, to: Cell, lost: number) {
      const { cell: from, version } = (await claim(address)) ?? { cell: to, version: 0 }
      if (from === to) return false
      const ask = <Result>({ database: other }: Cell, apply: () => Result) =>
        other.ask({ kind: "write", lost, apply })
      const copy = (rows: Rows) => ask(to, () => sql.copyIn(to, address, version, rows))
      const { answer: rows } = await ask(from, () => sql.serve(from, address, version, readRows))
      if (rows === undefined || !(await copy(rows))) return false
      const last = await ask(from, () => sql.fence(from, address, version))
      if (last === undefined) return false
      if (last.revision !== rows.revision && !(await copy(last))) return false
      const apply = () => sql.switchTo(places, address, { cell: to, claim: version })
      if (!(await database.ask({ kind: "write", lost, apply }))) return false
      await ask(from, () => sql.clean(from, address, version))
      return true
    },

    /** Deletes what the cell has of members that live elsewhere, and ends what could bring them here. */
    async sweep(cell: Cell) {
      const kept = await cell.database.ask({ kind: "read", apply: () => [...cell.residences] })
      for (const [address, { fence, rows }] of kept) {
        if (rows === undefined || (await locate(address))?.cell === cell) continue
        if ((await claim(address))?.cell === cell) continue
        const apply = () => sql.clean(cell, address, fence)
        await cell.database.ask({ kind: "write", apply })
      }
    },
  }
}
