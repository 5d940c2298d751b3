import { sql, type SQL, type SQLWrapper } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import * as z from "zod"

type Position = { createdAt: Date; id: string }

const Cursor = z
  .string()
  .max(400)
  .transform((text, context): Position => {
    const [, time, id] = /^(\d{1,15})\.([0-9a-z_]+|[^\s@]+@[^\s@]+)$/.exec(decode(text)) ?? []
    if (time !== undefined && id !== undefined) return { createdAt: new Date(Number(time)), id }
    context.addIssue({ code: "custom", message: "Must be a cursor of this list" })
    return z.NEVER
  })

/** Input of a list, newest first. A page's `nextCursor` is the `cursor` of the next page. */
export const Paging = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: Cursor.optional(),
})

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() })
}

export type Columns = { createdAt: SQLiteColumn; id: SQLiteColumn }

/** Condition for rows after the cursor. It is one comparison, so that an index on both columns serves it. */
export function after(
  columns: { [Name in keyof Columns]: SQLWrapper },
  cursor: Position | undefined,
): SQL | undefined {
  return (
    cursor &&
    sql`(${columns.createdAt}, ${columns.id}) < (${cursor.createdAt.getTime()}, ${cursor.id})`
  )
}

/** Condition for rows before the position of `valuesOf`, with placeholders for a prepared statement. */
export function before(columns: Columns): SQL {
  return sql`(${columns.createdAt}, ${columns.id}) < (${sql.placeholder("beforeTime")}, ${sql.placeholder("beforeId")})`
}

/** Milliseconds of the latest possible date, after any row. */
const end = 8_640_000_000_000_000

/** Returns placeholder values for a page of a list, newest first. Only rows created before `until` are included. */
export function valuesOf({ cursor, limit }: z.infer<typeof Paging>, until = end) {
  const at = cursor?.createdAt.getTime() ?? end
  // No id is less than the empty one, so all rows of that time are excluded.
  return until <= at
    ? { beforeTime: until, beforeId: "", limit: limit + 1 }
    : { beforeTime: at, beforeId: cursor?.id ?? "", limit: limit + 1 }
}

/**
 * Expects up to `limit + 1` rows; the extra row shows that there is another page.
 * @param positionOf returns a row's position in the list; default: newest first
 * @param lastScanned row at which the request stopped before the page was full
 */
export function pageFrom<Row extends Position>(
  rows: Row[],
  limit: number,
  positionOf: (row: Row) => Position = (row) => row,
  lastScanned?: Row,
) {
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : lastScanned
  return { items, nextCursor: last === undefined ? null : encode(positionOf(last)) }
}

/** Like `pageFrom` for a left join, which returns one null row if there are none. */
export function pageOfRows<Row extends Position>(rows: { row: Row | null }[], limit: number) {
  return pageFrom(
    rows.flatMap(({ row }) => row ?? []),
    limit,
  )
}

function encode({ createdAt, id }: Position) {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString("base64url")
}

function decode(text: string) {
  return Buffer.from(text, "base64url").toString()
}
