import type { Database } from "./database.ts"

/** What a member has in its cell; a move takes all of it. */
export type Rows = { password: string; sessions: string[]; entries: string[]; revision: number }

/**
 * A row of the directory: in which cell a member lives. Every claim and every switch adds one to the
 * version, so a version stands for one attempt to move, or for the time after one.
 */
export type Place = { cell: Cell; version: number }
export type Places = Map<string, Place>

/** What a cell has of a member. It serves whoever knows the place by a version above the fence. */
type Residence = { fence: number; rows: Rows | undefined }
export type Cell = { database: Database; residences: Map<string, Residence> }

/** What a request wants of the member's rows. Without new ones it has only read. */
export type Action<Answer> = (rows: Rows | undefined) => { answer: Answer; rows?: Rows }

/** `fencedAt` where the place that was named is not, or no longer, the member's. */
export type Reply<Answer> = { answer?: Answer | undefined; fencedAt: number | undefined }

export type Statements = typeof statements

/** Each is one batch in one database, refused as a whole by a condition in it; nothing else is atomic. */
export const statements = {
  locate(places: Places, address: string): Place | undefined {
    return places.get(address)
  },

  /** `INSERT … ON CONFLICT DO NOTHING`, then `SELECT`: two sign-ups at once get the same place. */
  reserve(places: Places, address: string, cell: Cell): Place {
    const place = places.get(address) ?? { cell, version: 1 }
    places.set(address, place)
    return place
  },

  /** `UPDATE … SET version = version + 1 … RETURNING`: ends every attempt to move that was before. */
  claim(places: Places, address: string): Place | undefined {
    const place = places.get(address)
    const claimed = place && { ...place, version: place.version + 1 }
    if (claimed !== undefined) places.set(address, claimed)
    return claimed
  },

  /** `UPDATE … SET cell, version … WHERE version = ?`: from here on the member lives there. */
  switchTo(places: Places, address: string, { cell, claim }: { cell: Cell; claim: number }) {
    if (places.get(address)?.version !== claim) return false
    places.set(address, { cell, version: claim + 1 })
    return true
  },

  /** A read is answered behind the fence too, which is said; a write is not. */
  serve<Answer>(
    { residences }: Cell,
    address: string,
    version: number,
    action: Action<Answer>,
  ): Reply<Answer> {
    const { fence, rows } = residences.get(address) ?? { fence: 0, rows: undefined }
    const fencedAt = version <= fence ? fence : undefined
    if (fencedAt !== undefined && rows === undefined) return { fencedAt }
    const done = action(rows)
    if (done.rows === undefined) return { fencedAt, answer: done.answer }
    if (fencedAt !== undefined) return { fencedAt }
    const revision = (rows?.revision ?? 0) + 1
    residences.set(address, { fence, rows: { ...done.rows, revision } })
    return { fencedAt, answer: done.answer }
  },

  /** Replaces what this attempt or an earlier one has copied. */
  copyIn({ residences }: Cell, address: string, claim: number, rows: Rows) {
    if ((residences.get(address)?.fence ?? 0) > claim) return false
    residences.set(address, { fence: claim, rows })
    return true
  },

  /** No write gets in any more, until a later claim is made. */
  fence({ residences }: Cell, address: string, claim: number) {
    const there = residences.get(address)
    if (there === undefined || there.fence >= claim) return undefined
    residences.set(address, { ...there, fence: claim })
    return there.rows
  },

  /** Deletes all but the fence, so whoever comes with an old place still asks the directory. */
  clean({ residences }: Cell, address: string, fence: number) {
    if (residences.get(address)?.fence !== fence) return
    residences.set(address, { fence, rows: undefined })
  },
}

export const readRows: Action<Rows | undefined> = (rows) => ({ answer: rows })
