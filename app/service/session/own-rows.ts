import { and, desc, eq, sql, type SQL } from "drizzle-orm"
import type { SelectResultFields } from "drizzle-orm/query-builders/select.types"
import type { SelectedFieldsFlat, SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"

import { session } from "../platform/database/auth.table.ts"
import { preparedOnce } from "../platform/database/database.ts"
import { before, type Columns } from "../platform/rpc/pagination.ts"
import { isCurrent } from "./caller.ts"
import type { Statement } from "./procedures.ts"

type Own<Selected> = {
  table: SQLiteTable
  /** Column with the id of the member who owns the row. */
  owner: SQLiteColumn
  columns: Selected
  where?: SQL | undefined
  /** Columns to sort by, newest first, from the position of `valuesOf`. */
  newest?: Columns
}

type Rows<Selected> = Statement<{ callerId: string; row: SelectResultFields<Selected> | null }>

/** Returns the statement for the caller's own rows. A caller without rows gets one row with null. */
export function ownRows<Selected extends SelectedFieldsFlat>(given: Own<Selected>): Rows<Selected>
export function ownRows({ table, owner, columns, where, newest }: Own<SelectedFieldsFlat>) {
  return preparedOnce((database) => {
    const rows = database
      .select({ callerId: session.userId, row: columns })
      .from(session)
      .leftJoin(table, and(eq(owner, session.userId), newest && before(newest), where))
      .where(isCurrent)
    if (newest === undefined) return rows.prepare()
    const sorted = rows.orderBy(desc(newest.createdAt), desc(newest.id))
    return sorted.limit(sql.placeholder("limit")).prepare()
  })
}
