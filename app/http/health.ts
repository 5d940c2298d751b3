import type { Context } from "hono"

import type { Env } from "../env.ts"
import { fail } from "./failure.ts"
import type { HonoEnv } from "./hono-env.ts"
import { securityHeaders } from "./response-headers.ts"

/** File name of the newest migration; the build defines it. */
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

type Prepared = { body: string; headers: Headers }

/** The others concern pages and embedding; each costs a fiftieth of the time of an answer. */
const headersOfHealth = new Set([
  "cache-control",
  "strict-transport-security",
  "x-content-type-options",
])

const preparedAnswers = new WeakMap<Env, Prepared>()

/**
 * Answers a plain health check from memory, before anything else of the service runs: monitors
 * poll it constantly, on every version. It is not logged and so has no request id. Returns
 * undefined for any other request.
 */
export function answerHealth({ method, url }: Request, env: Env) {
  if (method !== "GET" || url.slice(url.indexOf("/", 8)) !== "/api/health") return undefined
  const { body, headers } = preparedAnswers.get(env) ?? prepare(env)
  return new Response(body, { headers })
}

function prepare(env: Env) {
  const headers = new Headers([
    ...securityHeaders.filter(([name]) => headersOfHealth.has(name)),
    ["accounts-version", env.VERSION.id],
    ["content-type", "application/json"],
  ])
  const answer = { body: JSON.stringify(healthOf(env)), headers }
  preparedAnswers.set(env, answer)
  return answer
}

/** `?schema=1` also compares the newest applied migration with the one that the build expects. */
export async function health(context: Context<HonoEnv>) {
  const schema = context.req.queries("schema") ?? []
  if (schema.length > 0 && schema.join() !== "1") return fail(context, "BAD_REQUEST")
  if (schema.length === 0) return context.json(healthOf(context.env))
  const version = versionOf(context.env)
  const expected = MIGRATIONS_HEAD
  const found = await newestMigration(context.env.DB)
  const current = found === expected
  return context.json(
    { status: current ? "ok" : "behind", version, migrations: { expected, found } },
    current ? 200 : 503,
  )
}

/** Null before the first migration. */
async function newestMigration(database: D1Database) {
  const ledger = await database
    .prepare("select name from sqlite_schema where type = 'table' and name = 'd1_migrations'")
    .first()
  if (ledger === null) return null
  return database
    .prepare("select name from d1_migrations order by id desc limit 1")
    .first<string>("name")
}
