import { randomUUID } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError, body, noQuery, pageOf, paging, query, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { Database } from "./database.store.ts"
import {
  ReplicationMode,
  deleteDatabase,
  findDatabase,
  insertDatabase,
  listDatabases,
  requireDatabase,
  setReadReplication,
} from "./database.store.ts"
import { namedRows } from "./named-rows.ts"

const Replication = z.strictObject({ mode: ReplicationMode })
/** What a database keeps from its creation on. */
const lasting = {
  name: z.string().regex(/^[\w-]{1,64}$/, "Use 1 to 64 letters, digits, hyphens or underscores"),
  jurisdiction: z.enum(["eu", "fedramp", "us"]).nullish(),
  primary_location_hint: z.enum(["wnam", "enam", "weur", "eeur", "apac", "oc"]).nullish(),
}
const Creation = z.strictObject({ ...lasting, read_replication: Replication.optional() })
/** Cloudflare's Terraform provider 5 sends the whole resource with an update. */
const Update = z.strictObject({
  ...lasting,
  name: lasting.name.optional(),
  read_replication: Replication,
})
const List = z.strictObject({
  ...paging,
  per_page: z.coerce.number().int().min(10).max(10_000).default(1000),
  name: z.string().optional(),
})
const Fields = z.strictObject({ fields: z.string().optional() })

/**
 * `accounts/{account}/d1/database`. A repeated create fails with 7502, a repeated delete with 7404;
 * a repeated put changes nothing.
 */
export function databaseApi({ state, plane, withLock, bookmarks }: Control) {
  const app = new Hono()

  app.get("/", (c) => {
    const { name, ...page } = query(c, List)
    const matching = listDatabases(state).filter((one) => name === undefined || one.name === name)
    return c.json(pageOf(matching.map(summary), page))
  })

  app.post("/", noQuery, async (c) => {
    const sent = await body(c, Creation)
    const database: Database = {
      id: randomUUID(),
      name: sent.name,
      created_at: new Date().toISOString(),
      jurisdiction: sent.jurisdiction ?? null,
      primary_location_hint: sent.primary_location_hint ?? null,
      read_replication: sent.read_replication?.mode ?? "disabled",
    }
    await withLock("databases", async () => {
      if (findDatabase(state, sent.name) !== undefined) {
        const message = `A database with the name '${sent.name}' already exists`
        throw new ApiError(400, code.databaseExists, message)
      }
      await plane.openDatabase(database.id)
      state.transaction(() => insertDatabase(state, database))
    })
    return c.json(success({ ...withSize(database, 0), created_in_region: region }))
  })

  app.get("/:database", async (c) => {
    const { fields } = query(c, Fields)
    const database = requireDatabase(state, c.req.param("database"))
    const all = await details(database, { running_in_region: region })
    if (fields === undefined) return c.json(success(all))
    const wanted = new Set(fields.split(","))
    return c.json(
      success(Object.fromEntries(Object.entries(all).filter(([key]) => wanted.has(key)))),
    )
  })

  app.put("/:database", async (c) => {
    const { read_replication, ...sent } = await body(c, Update)
    const database = requireDatabase(state, c.req.param("database"))
    refuseChange(database, sent)
    state.transaction(() => setReadReplication(state, database.id, read_replication.mode))
    return c.json(success(await details(requireDatabase(state, database.id))))
  })

  app.delete("/:database", async (c) => {
    const { id } = requireDatabase(state, c.req.param("database"))
    await withLock(`database:${id}`, async () => {
      requireDatabase(state, id)
      bookmarks.drop(id)
      state.transaction(() => deleteDatabase(state, id))
      await plane.dropDatabase(id)
    })
    return c.json(success(null))
  })

  async function details(database: Database, more: Record<string, unknown> = {}) {
    const results = await plane.query(database.id, [{ sql: countTables, params: [] }])
    const [row] = results.flatMap(namedRows)
    return withSize(database, Number(row?.["count"] ?? 0), more)
  }

  function withSize(database: Database, tables: number, more: Record<string, unknown> = {}) {
    return {
      ...summary(database),
      file_size: plane.databaseSize(database.id),
      num_tables: tables,
      ...more,
      read_replication: { mode: database.read_replication },
    }
  }

  return app
}

/** The only region. */
const region = "WEUR"

const countTables =
  "SELECT count(*) AS count FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'"

/** Assumed: what Cloudflare does with another value is not documented. */
function refuseChange(database: Database, sent: Omit<z.infer<typeof Update>, "read_replication">) {
  for (const key of ["name", "jurisdiction", "primary_location_hint"] as const) {
    const wanted = sent[key]
    if (wanted === undefined || wanted === null || wanted === database[key]) continue
    const message = `${key} of the database ${database.name} can't be changed to ${wanted}: create another database`
    throw new ApiError(400, code.badQuery, message)
  }
}

/** Without `read_replication`, like Cloudflare's lists. */
function summary(database: Database) {
  return {
    uuid: database.id,
    name: database.name,
    created_at: database.created_at,
    version: "production",
    jurisdiction: database.jurisdiction,
  }
}
