import type { Context } from "hono"

import type { Env } from "../platform/configuration/env.ts"
import { boundDatabase, slowQuestion } from "../platform/database/bounded-database.ts"
import { fixedHeaders } from "../platform/http/answer.ts"
import { fail, retryUnavailable } from "../platform/http/failure.ts"
import type { HonoEnv } from "../platform/http/routing.ts"
import { admitsNetwork, refuseForNow } from "./caller-limit.ts"

/** File name of the newest migration, defined by the build. */
declare const MIGRATIONS_HEAD: string

function versionOf({ VERSION: { id, tag } }: Env) {
  return { id, tag }
}

function healthOf(env: Env) {
  return {
    status: "ok",
    version: versionOf(env),
    migrations: { expected: MIGRATIONS_HEAD },
  }
}

/**
 * Answers a plain health check from memory, before the rest of the service runs, because monitors poll each version
 * constantly. It is not logged and has no request id. Returns undefined for any other request.
 */
export function answerHealth({ method, url }: Request, env: Env) {
  if (method !== "GET" || url.slice(url.indexOf("/", 8)) !== "/api/health") return undefined
  return Response.json(healthOf(env), { headers: fixedHeaders(env.VERSION.id) })
}

/**
 * `?schema=1` also checks whether the database's schema fits this version. `?deep=1`, for monitors, also reports the
 * milliseconds that the database took, with status 503 if that is too long.
 */
export async function health(context: Context<HonoEnv>) {
  const queries = ["schema", "deep"].map((name) => context.req.queries(name) ?? [])
  if (queries.some((values) => values.length > 0 && values.join() !== "1")) {
    return fail(context, "BAD_REQUEST")
  }
  const [, deep = []] = queries
  if (queries.flat().length === 0) return context.json(healthOf(context.env))
  if (!(await admitsNetwork(context))) return refuseForNow(context)
  const began = Date.now()
  const { found, status: fit } = await compareSchema(boundDatabase(context.env.DB))
  const ms = Date.now() - began
  const status = deep.length > 0 && fit === "ok" && ms >= slowFrom ? "slow" : fit
  const answer = {
    status,
    version: versionOf(context.env),
    migrations: { expected: MIGRATIONS_HEAD, found },
    ...(deep.length > 0 && { database: { ms } }),
  }
  if (status === "ok") return context.json(answer)
  return context.json(answer, 503, { "retry-after": String(retryUnavailable) })
}

/** Milliseconds for the two queries. The database usually answers each in about 10. */
const slowFrom = 2 * slowQuestion

type Comparison = {
  /** The newest applied migration; null before the first. */
  found: string | null
  /** A newer schema is `ok` until a migration requires a newer version. */
  status: "ok" | "behind" | "ahead"
}

type Positions = { found: string; expected: number | null; oldest: number | null }

async function compareSchema(database: D1Database): Promise<Comparison> {
  const tables = await database
    .prepare(
      `select (select count(*) from sqlite_schema where type = 'table' and name = 'd1_migrations') as ledger,
       (select count(*) from pragma_table_info('accounts_migrations') where name = 'oldest_worker') as sidecar`,
    )
    .first<{ ledger: number; sidecar: number }>()
  if (!tables?.ledger) return { found: null, status: "behind" }
  // The deployment stores `oldest_worker`: the migration that a compatible version must include.
  const oldest = tables.sidecar
    ? "(select o.id from accounts_migrations s join d1_migrations o on o.name = s.oldest_worker where s.name = l.name)"
    : "null"
  const row = await database
    .prepare(
      `select l.name as found, (select id from d1_migrations where name = ?) as expected, ${oldest} as oldest
       from d1_migrations l order by l.id desc limit 1`,
    )
    .bind(MIGRATIONS_HEAD)
    .first<Positions>()
  if (row === null) return { found: null, status: "behind" }
  const { found, expected, oldest: least } = row
  if (expected === null) return { found, status: "behind" }
  return { found, status: least !== null && expected < least ? "ahead" : "ok" }
}
