import type { Context } from "hono"

import type { Env } from "../env.ts"
import { fail } from "./failure.ts"
import type { Http } from "./hono-env.ts"
import { security } from "./response-headers.ts"

/** File name of the newest migration, written into the bundle by the build. */
declare const MIGRATIONS_HEAD: string

function versionOf({ VERSION: { id, tag } }: Env) {
  return { id, tag }
}

function fine(bound: Env) {
  return {
    status: "ok",
    version: versionOf(bound),
    migrations: { expected: MIGRATIONS_HEAD },
  }
}

type Answer = { body: string; headers: Headers }

/** The others are about what a page shows or embeds; each of them costs a fiftieth of the answer. */
const useful = new Set(["cache-control", "strict-transport-security", "x-content-type-options"])

const answers = new WeakMap<Env, Answer>()

/**
 * The plain question, asked all the time and of every version there is, is answered from memory
 * before anything else of the service is touched; undefined for any other request. No line is
 * written about it, and so it has no request id.
 */
export function answerHealth({ method, url }: Request, bound: Env) {
  if (method !== "GET" || url.slice(url.indexOf("/", 8)) !== "/api/health") return undefined
  const { body, headers } = answers.get(bound) ?? prepare(bound)
  return new Response(body, { headers })
}

function prepare(bound: Env) {
  const headers = new Headers([
    ...security.filter(([name]) => useful.has(name)),
    ["accounts-version", bound.VERSION.id],
    ["content-type", "application/json"],
  ])
  const answer = { body: JSON.stringify(fine(bound)), headers }
  answers.set(bound, answer)
  return answer
}

/** From memory, unless `?schema=1` asks the database whether its migrations are those of the build. */
export async function health(context: Context<Http>) {
  const asked = context.req.queries("schema") ?? []
  if (asked.length > 0 && asked.join() !== "1") return fail(context, "BAD_REQUEST")
  if (asked.length === 0) return context.json(fine(context.env))
  const version = versionOf(context.env)
  const expected = MIGRATIONS_HEAD
  const found = await newestMigration(context.env.DB)
  const current = found === expected
  return context.json(
    { status: current ? "ok" : "behind", version, migrations: { expected, found } },
    current ? 200 : 503,
  )
}

async function newestMigration(database: D1Database) {
  const ledger = await database
    .prepare("select name from sqlite_schema where type = 'table' and name = 'd1_migrations'")
    .first()
  if (ledger === null) return null
  const newest = await database
    .prepare("select name from d1_migrations order by id desc limit 1")
    .first<string>("name")
  return newest
}
