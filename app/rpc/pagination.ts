import { sql, type SQL } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import * as z from "zod"

type Position = { createdAt: Date; id: string }

const Cursor = z
  .string()
  .max(200)
  .transform((text, context): Position => {
    const [, time, id] = /^(\d{1,15})\.([0-9a-z_]+)$/.exec(decode(text)) ?? []
    if (time !== undefined && id !== undefined) return { createdAt: new Date(Number(time)), id }
    context.addIssue({ code: "custom", message: "Invalid cursor for this list" })
    return z.NEVER
  })

/** Input of a list, newest first: a page's `nextCursor` is the `cursor` of the next page. */
export const Paging = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: Cursor.optional(),
})

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() })
}

type Columns = { createdAt: SQLiteColumn; id: SQLiteColumn }

/** Condition for rows after the cursor: one comparison, so that an index on both columns serves it. */
export function after(columns: Columns, cursor: Position | undefined): SQL | undefined {
  return (
    cursor &&
    sql`(${columns.createdAt}, ${columns.id}) < (${cursor.createdAt.getTime()}, ${cursor.id})`
  )
}

/** Expects up to `limit + 1` rows: the extra one shows that there is another page. */
export function pageFrom<Row extends Position>(rows: Row[], limit: number) {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const more = rows.length > limit && last !== undefined
  return { items, nextCursor: more ? encode(last) : null }
}

function encode({ createdAt, id }: Position) {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString("base64url")
}

function decode(text: string) {
  return Buffer.from(text, "base64url").toString()
}
