import { env } from "cloudflare:workers"
import { getTableName, is } from "drizzle-orm"
import { SQLiteTable } from "drizzle-orm/sqlite-core"
import { beforeAll, expect, test, vi } from "vitest"

import type { Metric } from "../../plan/plan.ts"
import { prices } from "../../prices.ts"
import { records } from "../../records.ts"
import { router } from "../../router.ts"
import { schema } from "../../schema.ts"
import { servicesOf } from "../../services.ts"
import { createBrowser } from "../../testing/browser.ts"
import { createEveryRoute, isOfLetter, visitEveryRoute } from "../../testing/every-route.ts"
import { ofNouns } from "../../testing/nouns.ts"
import { describeLimit, usedOfPlans, usedSince } from "../../testing/plan-usage.ts"
import { createRestorablePerson, type RestorablePerson } from "../../testing/restorable-person.ts"
import worker from "../../worker.ts"
import { allowances } from "../guard/attempts.ts"
import committed from "../openapi/openapi.json"
import { sweepStatements } from "../sweep/sweep.ts"

/** Why a route that writes leaves no entry in the audit log. */
const reasons: Record<string, string> = {
  "GET /api/auth/reset-password/{token}": "deletes tokens that have ended",
  "POST /api/auth/send-verification-email": "counts alone; the email tells the owner",
  "POST /api/auth/sign-in/code/begin": "any caller may ask; the email tells the owner",
  "POST /api/auth/request-password-reset": "any caller may ask; the email tells the owner",
  "POST /api/auth/step-up/begin": "changes nothing yet; the email tells the owner",
  "POST /api/v1/renamePasskey": "a member's own word for it",
  "POST /api/v1/beginTotp": "changes nothing yet: its first code is told",
  "POST /api/v1/forgetBrowsers": "takes away what the member has given, and grants nothing",
  "POST /api/v1/updateProfile": "a member's own name and image",
  "POST /api/v1/renameSession": "what a member calls a device of theirs",
  "POST /api/v1/changeEmail": "changes nothing yet: the use of its code is told",
  ...ofNouns(({ unaudited }) => unaudited),
}

const limitersUsed = new Set<string>()

function limiter(name: string) {
  return {
    limit: () => Promise.resolve({ success: limitersUsed.add(name).has(name) }),
  }
}

const every = await createEveryRoute({
  LIMIT_ADDRESS: limiter("LIMIT_ADDRESS"),
  LIMIT_EMAIL: limiter("LIMIT_EMAIL"),
  LIMIT_MEMBER: limiter("LIMIT_MEMBER"),
})
const { bound, mailbox, counting } = every

type Seen = {
  request: Request
  limits: Set<string>
  statements: Set<string>
  audit: Set<string>
  letters: Set<string>
  metrics: Set<Metric>
}

const visits = new Map<string, Seen>()
/** The statements of each visit, one entry for a round trip. */
const trips: Record<string, string[]> = {}
const table: Record<string, Record<string, string>> = {}

const operations = Object.entries(committed.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
)

function routeOf({ method, url }: Request) {
  const { pathname } = new URL(url)
  return operations.find((operation) => {
    const [verb, path = ""] = operation.split(" ")
    return verb === method && new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname)
  })
}

function withoutSubqueries(sql: string): string {
  const outer = sql.replaceAll(/\([^()]*\)/g, "")
  return outer === sql ? sql : withoutSubqueries(outer)
}

/** `insert audit_entry, update user`: what a round trip asks and writes, in this order. */
function shorten(batch: string) {
  const parts = batch.split(";\n").map((sql) => {
    const [verb = ""] = sql.trim().split(" ")
    return `${verb} ${/(?:into|update|from) "?(\w+)"?/.exec(withoutSubqueries(sql))?.[1] ?? "?"}`
  })
  return parts.join(", ")
}

async function newestEntry() {
  return (await env.DB.prepare("select max(rowid) as n from audit_entry").first<number>("n")) ?? 0
}

/** Waits for the emails, which are sent after the response. */
async function letters(since: number) {
  await vi.waitFor(
    async () => {
      const owed = await env.DB.prepare(
        "select count(*) as n from audit_entry where letter_due is not null",
      ).first("n")
      expect(owed).toBe(0)
    },
    { timeout: 30_000 },
  )
  await new Promise((resolve) => void setTimeout(resolve, 100))
  return mailbox.emails.slice(since).map(({ subject }) => subject)
}

async function observe(visit: string, action: () => Promise<unknown>) {
  const requests: Request[] = []
  const { fetch } = worker
  const spy = vi.spyOn(worker, "fetch").mockImplementation((request, ...rest) => {
    requests.push(request.clone())
    return fetch(request, ...rest)
  })
  const [entry, mails] = [await newestEntry(), mailbox.emails.length]
  const usedBefore = await usedOfPlans()
  limitersUsed.clear()
  const statements = (await counting.during(action)).filter((sql) => !isOfLetter(sql))
  trips[visit] = statements
  spy.mockRestore()
  const [request] = requests
  const route = request && routeOf(request)
  if (request === undefined || route === undefined) return
  const visited = visits.get(route) ?? {
    request,
    limits: new Set<string>(),
    statements: new Set<string>(),
    audit: new Set<string>(),
    letters: new Set<string>(),
    metrics: new Set<Metric>(),
  }
  visits.set(route, visited)
  for (const name of limitersUsed) visited.limits.add(name)
  for (const metric of await usedSince(usedBefore)) visited.metrics.add(metric)
  visited.statements.add(statements.map(shorten).join("; "))
  const { results } = await env.DB.prepare("select action from audit_entry where rowid > ?")
    .bind(entry)
    .all<{ action: string }>()
  for (const { action: written } of results) visited.audit.add(written)
  for (const subject of await letters(mails)) visited.letters.add(subject)
}

const [member, admin, owner] = [
  await createRestorablePerson(bound, "member"),
  await createRestorablePerson(bound, "admin"),
  await createRestorablePerson(bound, "owner"),
]
/** Sends a request again, with another caller or origin. */
async function again(
  { request }: Seen,
  caller: RestorablePerson | undefined,
  { from, isOld = false }: { from?: string | null; isOld?: boolean } = {},
) {
  const { pathname, search } = new URL(request.url)
  // The password would delete the caller.
  const body = pathname.endsWith("/delete-user") ? "{}" : await request.clone().text()
  const browser = createBrowser(bound)
  for (const [name, value] of caller?.cookies ?? []) browser.cookies.set(name, value)
  await caller?.restore()
  // The previous request may have changed the role of the subject.
  const statement = env.DB.prepare("update user set role = 'member' where id not in (?, ?, ?)")
  await statement.bind(member.id, admin.id, owner.id).run()
  if (isOld) {
    await env.DB.prepare("update session set proven_at = null where user_id = ?")
      .bind(caller?.id)
      .run()
  }
  const type = request.headers.get("content-type")
  const response = await browser.send(request.method, `${pathname}${search}`, {
    headers: { "cf-connecting-ip": "192.0.2.1", ...(type !== null && { "content-type": type }) },
    ...(body !== "" && { body }),
    ...(from !== undefined && { from }),
  })
  const answer = await response.json<{ code?: string } | null>().catch(() => null)
  return `${response.status} ${answer?.code ?? ""}`
}

const forbidden = "403 FORBIDDEN"

/** Prices, which a reviewer of a change must see. */
const priced = pricesOf(bound)

function pricesOf(of: typeof bound): string {
  const services = servicesOf(of)
  if (services === null) throw new Error("the service has no settings")
  return prices
    .flatMap((list) => Object.entries(list(services)))
    .map(([name, { amount, currency }]) => `${name} ${amount} ${currency}, in its smallest unit`)
    .join("; ")
}

const minute = 60_000

/** How often something may be tried, as a reviewer of another limit reads it. */
const attemptLimits = Object.fromEntries(
  Object.entries(allowances).map(([kind, { limit, window, pause }]) => [
    `attempts of ${kind}`,
    `${limit} in ${window / minute} min` + (pause ? `, then one in ${pause / minute} min` : ""),
  ]),
)

async function rowOf(route: string, visited: Seen) {
  limitersUsed.clear()
  const answers = {
    nobody: await again(visited, undefined),
    member: "",
    old: await again(visited, owner, { isOld: true }),
    admin: await again(visited, admin),
    owner: await again(visited, owner),
  }
  const ofMember = await counting.during(async () => {
    answers.member = await again(visited, member)
  })
  const limits = new Set([...visited.limits, ...limitersUsed])
  if ([...visited.statements].some((sql) => sql.includes("insert attempt"))) limits.add("attempt")
  const foreign = await again(visited, owner, { from: "https://evil.example" })
  const silent = await again(visited, owner, { from: null })
  const who = [
    ...(answers.nobody.startsWith("401 UNAUTHORIZED") ? [] : ["anybody"]),
    ...(answers.member === forbidden ? [] : ["member"]),
    ...(answers.admin === forbidden ? [] : ["admin"]),
    ...(answers.owner === forbidden ? [] : ["owner"]),
  ]
  const reason = reasons[route]
  return {
    who:
      (who.includes("anybody") ? "anybody" : who.join(", ")) +
      (answers.old === "403 STEP_UP_REQUIRED" && answers.owner !== answers.old
        ? ", after a step-up"
        : ""),
    // A statement may refuse a member, too: this shows that nothing else does any more.
    ...(answers.member === forbidden && {
      refused: ofMember
        .filter((sql) => !isOfLetter(sql))
        .map(shorten)
        .join("; "),
    }),
    origin:
      (foreign === "403 INVALID_ORIGIN" ? "trusted" : "any") +
      (silent === "403 MISSING_OR_NULL_ORIGIN" ? ", required with a cookie" : ""),
    limits: [...limits].toSorted().join(", ") || "none",
    ...(route === "GET /api/v1/settings" && priced !== "" && { prices: priced }),
    ...(route === "GET /api/v1/settings" && attemptLimits),
    ...(visited.metrics.size > 0 && { plan: [...visited.metrics].map(describeLimit).join("; ") }),
    statements:
      [...visited.statements]
        .filter((sql) => sql !== "")
        .toSorted()
        .join(" | ") || "none",
    audit:
      [...visited.audit].toSorted().join(", ") ||
      (reason === undefined ? "none" : `none: ${reason}`),
    letter: [...visited.letters].toSorted().join(", ") || "none",
  }
}

beforeAll(async () => {
  using _ = every.network()
  await visitEveryRoute(every, observe)
  for (const [route, visited] of [...visits].toSorted(([a], [two]) => a.localeCompare(two))) {
    table[route] = await rowOf(route, visited)
  }
})

function writes({ statements = "" }: Record<string, string>) {
  return /(insert|update|delete) (?!attempt|audit_entry)/.test(statements)
}

test("docs/routes.json says what each route does; if not, read what changed, and run npm run routes", async () => {
  expect(Object.keys(table)).toEqual(operations.toSorted((a, two) => a.localeCompare(two)))
  await expect(`${JSON.stringify(table, null, 2)}\n`).toMatchFileSnapshot(
    "../../../docs/routes.json",
  )
})

test("a route that writes leaves an audit entry, or has a reason", () => {
  const silent = Object.entries(table).filter(
    ([route, row]) => writes(row) && row["audit"] === "none" && reasons[route] === undefined,
  )
  expect(silent).toEqual([])
  const idle = Object.keys(reasons).filter(
    (route) => table[route] === undefined || !table[route]["audit"]?.startsWith("none: "),
  )
  expect(idle).toEqual([])
})

test("no request asks the database more than four times, and these do not ask it at all", () => {
  expect(Object.entries(trips).filter(([, statements]) => statements.length > 4)).toEqual([])
  const silent = Object.keys(trips).filter((visit) => trips[visit]?.length === 0)
  const always = ["callback by a form", "getTokenKeys", "health", "provider start", "settings"]
  expect(silent.toSorted()).toEqual([...always, "passkey-begin", "whoami, signed out"].toSorted())
})

const tables = new Set<string>(
  Object.values(schema).flatMap((each) => (is(each, SQLiteTable) ? [getTableName(each)] : [])),
)

test("no statement scans a table, and no list is sorted", async () => {
  const parts = Object.entries(trips).flatMap(([name, statements]) =>
    statements.flatMap((batch) => batch.split(";\n").map((sql) => ({ name, sql }))),
  )
  const scans: unknown[] = []
  const sorts: unknown[] = []
  for (const { name, sql } of [...parts, ...sweepStatements(records, new Date())]) {
    const count = sql.includes("?1") ? Number(sql.includes("?2")) + 1 : sql.split("?").length - 1
    const { results } = await env.DB.prepare(`explain query plan ${sql}`)
      .bind(...Array.from({ length: count }, () => 1))
      .all<{ detail: string }>()
    for (const { detail } of results) {
      const scanned = /^SCAN (\w+)$/.exec(detail)?.[1] ?? ""
      if (tables.has(scanned)) scans.push({ name, detail, sql })
      // An index may end with the time: then only rows of one millisecond are sorted.
      const isSorted = detail.includes("ORDER BY") && !detail.includes("LAST TERM OF ORDER BY")
      if (name.startsWith("list") && isSorted) sorts.push({ name, detail, sql })
    }
  }
  expect({ scans, sorts }).toEqual({ scans: [], sorts: [] })
})

/** The owner of an address may not have asked for an email, so it contains no text of the requester. */
test("no email of any route contains typed text: a name, an address, the name of a browser", async () => {
  using _ = every.network()
  const browser = createBrowser({ ...bound, LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })
  const typed = `visit evil.example "'><m-arker>`
  const account = { name: typed, email: "typed@example.com", password: "a good long password" }
  for (const path of ["sign-up/email", "sign-in/code/begin", "request-password-reset"]) {
    await browser.post(`/api/auth/${path}`, account, { "user-agent": typed })
  }
  await mailbox.codeOf(account.email)
  const texts = mailbox.emails.map(({ subject, text }) =>
    `${subject}\n${text}`.replaceAll(/https?:\/\/\S+/g, ""),
  )
  expect(texts.length).toBeGreaterThan(10)
  expect(texts.filter((text) => /\bAda\b|evil|m-arker|@|[<>]/.test(text))).toEqual([])
})

/** The row of a route while it is another, as a change of its code would make it. */
async function changedRow(route: string, change: () => () => void) {
  const visited = visits.get(route)
  if (visited === undefined) throw new Error(`${route} was not visited`)
  using _ = every.network()
  const undo = change()
  const row = await rowOf(route, { ...visited, limits: new Set() })
  undo()
  return row
}

test("a row changes when an admin's operation is opened to members, and when a limit goes", async () => {
  const makeUserAdmin = "POST /api/v1/makeUserAdmin"
  const procedure = router.makeUserAdmin["~orpc"]
  expect(await changedRow(makeUserAdmin, () => () => {})).toEqual(table[makeUserAdmin])
  const opened = await changedRow(makeUserAdmin, () => {
    const { middlewares } = procedure
    Object.assign(procedure, { middlewares: middlewares.toSpliced(3, 1) })
    return () => void Object.assign(procedure, { middlewares })
  })
  expect(table[makeUserAdmin]).toMatchObject({ refused: "select session; select session" })
  expect(opened.refused).toContain("insert audit_entry")
  const services = servicesOf(bound)
  const unlimited = await changedRow(makeUserAdmin, () => {
    const memberLimit = services?.memberLimit
    Object.assign(services ?? {}, { memberLimit: undefined })
    return () => void Object.assign(services ?? {}, { memberLimit })
  })
  expect([table[makeUserAdmin]?.["limits"], unlimited.limits]).toEqual(["LIMIT_MEMBER", "none"])
})
