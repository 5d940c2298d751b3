import type { Context } from "hono"

import { fail } from "./failure.ts"
import type { Http } from "./http.ts"

/** File name of the newest migration, written into the bundle by the build. */
declare const MIGRATIONS_HEAD: string

/** From memory, unless `?schema=1` asks the database whether its migrations are those of the build. */
export const health = async (context: Context<Http>) => {
  const { id, tag } = context.env.VERSION
  const version = { id, tag }
  const expected = MIGRATIONS_HEAD
  const asked = context.req.queries("schema") ?? []
  if (asked.length > 0 && asked.join() !== "1") return fail(context, "BAD_REQUEST")
  if (asked.length === 0) {
    return context.json({ status: "ok", version, migrations: { expected } })
  }
  const found = await newestMigration(context.env.DB)
  const current = found === expected
  return context.json(
    { status: current ? "ok" : "behind", version, migrations: { expected, found } },
    current ? 200 : 503,
  )
}

const newestMigration = async (database: D1Database) => {
  const ledger = await database
    .prepare("select name from sqlite_schema where type = 'table' and name = 'd1_migrations'")
    .first()
  if (ledger === null) return null
  const newest = await database
    .prepare("select name from d1_migrations order by id desc limit 1")
    .first<string>("name")
  return newest
}
