import { sql, type SQL } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import * as z from "zod"

type Place = { createdAt: Date; id: string }

const Cursor = z
  .string()
  .max(200)
  .transform((text, context): Place => {
    const [, time, id] = /^(\d{1,15})\.([0-9a-z_]+)$/.exec(decode(text)) ?? []
    if (time !== undefined && id !== undefined) return { createdAt: new Date(Number(time)), id }
    context.addIssue({ code: "custom", message: "Not a cursor of this list" })
    return z.NEVER
  })

/** Input of a list: newest first, `nextCursor` of one page is `cursor` of the next. */
export const Paging = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: Cursor.optional(),
})

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() })
}

type Columns = { createdAt: SQLiteColumn; id: SQLiteColumn }

/** What comes after the cursor, as one comparison that an index on both columns answers. */
export function after(columns: Columns, cursor: Place | undefined): SQL | undefined {
  return (
    cursor &&
    sql`(${columns.createdAt}, ${columns.id}) < (${cursor.createdAt.getTime()}, ${cursor.id})`
  )
}

/** Cuts a page out of rows that were asked for with one more than `limit`. */
export function cut<Row extends Place>(rows: Row[], limit: number) {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const more = rows.length > limit && last !== undefined
  return { items, nextCursor: more ? encode(last) : null }
}

function encode({ createdAt, id }: Place) {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString("base64url")
}

function decode(text: string) {
  return Buffer.from(text, "base64url").toString()
}
