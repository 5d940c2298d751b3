import { randomUUID } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import { QueryError, type Statement, type StatementResult } from "../plane/plane.ts"
import type { State } from "../state/state.ts"
import type { Control } from "./control.ts"
import { ApiError, body, code, noQuery, pageOf, paging, query, success } from "./envelope.ts"
import { splitStatements } from "./statements.ts"

const ReplicationMode = z.enum(["auto", "disabled"])

const Database = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  jurisdiction: z.string().nullable(),
  /** Never in a response, as on Cloudflare. */
  primary_location_hint: z.string().nullable(),
  read_replication: ReplicationMode,
})
export type Database = z.infer<typeof Database>

export function listDatabases(state: State): Database[] {
  return state.list(Database, "SELECT * FROM database ORDER BY rowid")
}

export function findDatabase(state: State, idOrName: string): Database | undefined {
  return state.find(Database, "SELECT * FROM database WHERE id = ?1 OR name = ?1", idOrName)
}

export function requireDatabase(state: State, idOrName: string): Database {
  const database = findDatabase(state, idOrName)
  if (database !== undefined) return database
  throw new ApiError(404, code.noDatabase, `The database ${idOrName} could not be found`)
}

function insertDatabase(state: State, database: Database) {
  state.insert("database", database)
}

function setReadReplication(state: State, id: string, mode: string) {
  state.run("UPDATE database SET read_replication = ? WHERE id = ?", mode, id)
}

function deleteDatabase(state: State, id: string) {
  state.run("DELETE FROM database WHERE id = ?", id)
}

const Replication = z.strictObject({ mode: ReplicationMode })
/** Properties that cannot change after creation. */
const lasting = {
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/, "Use 1 to 64 ASCII letters, digits, hyphens or underscores"),
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
    const matching = listDatabases(state).filter(
      (database) => name === undefined || database.name === name,
    )
    return c.json(pageOf(matching.map(summary), page))
  })

  app.post("/", noQuery, async (c) => {
    const creation = await body(c, Creation)
    const database: Database = {
      id: randomUUID(),
      name: creation.name,
      created_at: new Date().toISOString(),
      jurisdiction: creation.jurisdiction ?? null,
      primary_location_hint: creation.primary_location_hint ?? null,
      read_replication: creation.read_replication?.mode ?? "disabled",
    }
    await withLock("databases", async () => {
      if (findDatabase(state, creation.name) !== undefined) {
        const message = `A database with the name '${creation.name}' already exists`
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
    const allDetails = await details(database, { running_in_region: region })
    if (fields === undefined) return c.json(success(allDetails))
    const fieldNames = new Set(fields.split(","))
    return c.json(
      success(
        Object.fromEntries(Object.entries(allDetails).filter(([key]) => fieldNames.has(key))),
      ),
    )
  })

  app.put("/:database", async (c) => {
    const { read_replication, ...update } = await body(c, Update)
    const database = requireDatabase(state, c.req.param("database"))
    refuseChange(database, update)
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

  async function details(database: Database, extraDetails: Record<string, unknown> = {}) {
    const results = await plane.query(database.id, [{ sql: countTables, params: [] }])
    const [row] = results.flatMap(namedRows)
    return withSize(database, Number(row?.["count"] ?? 0), extraDetails)
  }

  function withSize(
    database: Database,
    tables: number,
    extraDetails: Record<string, unknown> = {},
  ) {
    return {
      ...summary(database),
      file_size: plane.databaseSize(database.id),
      num_tables: tables,
      ...extraDetails,
      read_replication: { mode: database.read_replication },
    }
  }

  return app
}

/** The only region. */
const region = "WEUR"

const countTables =
  "SELECT count(*) AS count FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'"

/** Rejects changes of permanent properties. Assumed: Cloudflare does not document this case. */
function refuseChange(
  database: Database,
  update: Omit<z.infer<typeof Update>, "read_replication">,
) {
  for (const key of ["name", "jurisdiction", "primary_location_hint"] as const) {
    const newValue = update[key]
    if (newValue === undefined || newValue === null || newValue === database[key]) continue
    const message = `${key} of the database ${database.name} can't be changed to ${newValue}: create another database`
    throw new ApiError(400, code.badQuery, message)
  }
}

/** Omits `read_replication`, like Cloudflare's lists. */
function summary(database: Database) {
  return {
    uuid: database.id,
    name: database.name,
    created_at: database.created_at,
    version: "production",
    jurisdiction: database.jurisdiction,
  }
}

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()])
const Single = z.strictObject({ sql: z.string(), params: z.array(Value).optional() })
const Batch = z.strictObject({ batch: z.array(Single).min(1) })
const Query = z.union([Single, Batch])

/** `…/d1/database/{database}/query` and `/raw`. Each request is one atomic batch; a repeated request runs again. */
export function queryApi({ state, plane, withLock }: Control) {
  const app = new Hono()

  app.post("/:database/query", noQuery, async (c) => {
    const results = await run(c.req.param("database"), await body(c, Query))
    return c.json(success(results.map((result) => answer(result, namedRows(result)))))
  })

  app.post("/:database/raw", noQuery, async (c) => {
    const results = await run(c.req.param("database"), await body(c, Query))
    return c.json(
      success(
        results.map((result) => answer(result, { columns: result.columns, rows: result.rows })),
      ),
    )
  })

  async function run(idOrName: string, input: z.infer<typeof Query>): Promise<StatementResult[]> {
    const { id } = requireDatabase(state, idOrName)
    const batch = "batch" in input ? input.batch : [input]
    const statements = batch.flatMap(statementsOf)
    return withLock(`database:${id}`, async () => {
      requireDatabase(state, id)
      return runBatch(id, statements)
    })
  }

  async function runBatch(id: string, statements: Statement[]): Promise<StatementResult[]> {
    try {
      return await plane.query(id, statements)
    } catch (error) {
      if (error instanceof QueryError) throw new ApiError(400, code.sql, error.message)
      throw error
    }
  }

  return app
}

function statementsOf({ sql, params = [] }: z.infer<typeof Single>): Statement[] {
  const statements = splitStatements(sql)
  if (statements.length === 0) throw new ApiError(400, code.sql, "No SQL statements detected.")
  if (params.length > 0 && statements.length > 1) {
    const message =
      "Parameters are allowed with one statement only; send several statements as a `batch`"
    throw new ApiError(400, code.badQuery, message)
  }
  return statements.map((text) => ({ sql: text, params }))
}

function answer({ meta }: StatementResult, results: unknown) {
  return {
    results,
    success: true,
    meta: {
      ...meta,
      served_by: "v3-prod",
      served_by_region: "WEUR",
      served_by_primary: true,
      timings: { sql_duration_ms: meta.duration },
    },
  }
}

/** Returns rows as objects. If two columns have the same name, the last wins. */
function namedRows({ columns, rows }: Pick<StatementResult, "columns" | "rows">) {
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
}
