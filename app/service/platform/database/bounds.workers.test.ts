import { getTableName, is, SQL } from "drizzle-orm"
import { getTableConfig, type SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { expect, test } from "vitest"

import routes from "../../../../docs/routes.json"
import { bindings } from "../../../bindings.ts"
import { metrics } from "../../../plan/plan.ts"
import { records } from "../../../records.ts"
import { schema } from "../../../schema.ts"
import type { Bound } from "../../../testing/noun.ts"
import { ofNouns } from "../../../testing/nouns.ts"
import { allowances, slots } from "../../guard/attempts.ts"
import { maxBodySize } from "../../guard/request-body.ts"
import committed from "../../openapi/openapi.json"
import { maxSessions } from "../../session/session-opening.ts"
import { maxPasskeys } from "../../sign-in/passkey/credential.ts"
import { maxIdentities } from "../../sign-in/provider/identity.ts"
import { sweepStatements } from "../../sweep/sweep.ts"
import { auditActions } from "../audit/audit-entry.table.ts"
import { dailyEntries } from "../audit/audit.ts"
import { codesAtOnce, maxBrowsers } from "./auth.table.ts"

/* Tables that callers can grow, how far, and for how long rows stay. */

const hour = 60 * 60 * 1000

/** Returns how many attempts a limit admits in a day. */
function admitted({ limit, window, pause = Infinity }: (typeof allowances)["email"]) {
  return (24 * hour * limit) / window + Math.floor((24 * hour) / pause)
}

const signUps = admitted(allowances["sign-up"])
const emails = 2 * admitted(allowances["all emails"])
/** Sign-ins that wait for a second factor: of each browser that has signed in, and of all others. */
const steps = (maxSessions + 1) * admitted(allowances["sign-in"])
/** A /48 of IPv6 has two counts of a path, other networks one. */
const perNetwork = 2 * 24 * 60 * bindings.LIMIT_ADDRESS.simple.limit
/** Requests for an email, of which those for a code have a limit of their own, and a refused one leaves no row. */
const requests = perNetwork + admitted(allowances["code network"])
const frequent = ["sign_in", "sign_in_refused", "second_factor_refused", "sign_out"]
/** Roles give them: whom an owner has made an admin is no stranger. */
const ofAdmins =
  /^(?:read_|list_|change_role|grant_|revoke_premium|suspend|unsuspend|schedule_|cancel_|end_sessions|send_|reset_second_factor|invite|revoke_invitation)/
/** The first entry of an account, and there is one. */
const first = "sign_up"
const actions = auditActions.filter(
  (auditAction) =>
    auditAction !== first && !frequent.includes(auditAction) && !ofAdmins.test(auditAction),
)

const bounds: Record<string, Bound[]> = {
  user: [{ most: 1, network: signUps }],
  account: [{ most: maxIdentities, network: signUps }],
  session: [{ most: maxSessions }, { network: signUps, days: 8 }],
  removed_identity: [{ most: maxIdentities }],
  // Each is good for an hour at most, and the next hourly sweep takes it.
  verification: [
    { daily: emails + allowances.address.limit + steps, network: requests, days: 2 / 24 },
  ],
  // Each kind counts known browsers, others, and unknown accounts or households; and each passkey response has a row.
  attempt: [
    { network: 3 * slots * Object.keys(allowances).length, days: 1 },
    { daily: perNetwork, days: 2 / 24 },
  ],
  audit_entry: [
    { daily: frequent.length * dailyEntries, network: allowances.refusal.limit, days: 90 },
    { daily: actions.length * dailyEntries, network: signUps, days: 730 },
    { most: 1, days: 730 },
  ],
  usage: [{ daily: (metrics.length * 12) / 365 }],
  former_address: [{ daily: allowances.address.limit, days: 30 }],
  invitation: [{ why: "admins alone invite", days: 7 }],
  second_factor: [{ most: 1 }],
  recovery_code: [{ most: codesAtOnce }],
  trusted_browser: [{ most: maxBrowsers }],
  passkey: [{ most: maxPasskeys }],
  ...ofNouns((noun) => noun.bounds),
}

const tables = Object.values(schema).flatMap((table) => (is(table, SQLiteTable) ? [table] : []))
const day = 24 * 60 * 60 * 1000
const now = new Date()

/** Returns the longest text that a column takes; undefined without a limit. */
function lengthOf(column: SQLiteColumn) {
  const isTaken = (length: number) => {
    try {
      column.mapToDriverValue("x".repeat(length))
      return true
    } catch {
      return false
    }
  }
  if (isTaken(1_000_000)) return undefined
  let [accepted, refused] = [0, 1_000_000]
  while (refused - accepted > 1) {
    const middle = Math.floor((accepted + refused) / 2)
    if (isTaken(middle)) accepted = middle
    else refused = middle
  }
  return accepted
}

/** Texts that people write, in any alphabet: UTF-8 has three bytes at most for a UTF-16 unit. */
const written = /^(?:name|user_agent|partner_name|text|lite|deep_insights|version)$/
const integer = 9
/** Header of a record and its place in a page; the pages of small ones are two thirds full at worst. */
const [header, page, fullness] = [12, 4096, 2 / 3]

/** The id of an account: only previews, which are small, keep emails there. */
const short: Record<string, number> = { value: 64 }

function bytesOf(column: SQLiteColumn) {
  if (column.getSQLType() !== "text") return integer
  return (short[column.name] ?? (lengthOf(column) || 24)) * (written.test(column.name) ? 3 : 1)
}

/** Entries of a partial index for each row of its table, where that is known: those of one action. */
const shares: Record<string, number> = {
  audit_entry_last_sign_in: 1 / (frequent.length + actions.length),
}

/** Returns the bytes of a row at its longest, with its index entries. A request brings no more than its body. */
function rowBytes(table: SQLiteTable) {
  const { columns, indexes, primaryKeys, uniqueConstraints } = getTableConfig(table)
  const sum = (of: SQLiteColumn[]) =>
    header + of.reduce((bytes, column) => bytes + bytesOf(column), 0)
  const keys = [
    ...columns.filter(({ primary, isUnique }) => primary || isUnique).map((column) => [column]),
    ...primaryKeys.map((key) => key.columns),
    ...uniqueConstraints.map((key) => key.columns),
  ].map((key) => ({ key, share: 1 }))
  const indexed = indexes.map(({ config: { name, columns: parts } }) => ({
    key: parts.flatMap((part) => (is(part, SQL) ? [] : [part])),
    share: shares[name] ?? 1,
  }))
  const entries = [...keys, ...indexed].reduce(
    (bytes, { key, share }) => bytes + share * (integer + sum(key)),
    0,
  )
  const rowSize = Math.min(sum(columns), maxBodySize)
  const isLarge = rowSize > page / 2
  return Math.round(
    (isLarge ? Math.ceil(rowSize / page) * page : rowSize / fullness) + entries / fullness,
  )
}

/** Returns the rows after a year of a caller who does nothing else. */
function rowsAfterAYear({ most = Infinity, days = 365 }: Bound, perDay = 0) {
  const isOnce = most !== Infinity && perDay === 0
  return isOnce ? most : Math.ceil(perDay * Math.min(days, 365))
}

const table = tables.map((definition) => {
  const name = getTableName(definition)
  const bytes = rowBytes(definition)
  const limits = bounds[name] ?? []
  const ofMember = limits.reduce(
    (rows, bound) => rows + (bound.daily || bound.most ? rowsAfterAYear(bound, bound.daily) : 0),
    0,
  )
  const ofNetwork = limits.reduce(
    (rows, { network, days = 365 }) => rows + (network ?? 0) * Math.min(days, 365),
    0,
  )
  return { name, bytes, bounds: limits, ofMember, ofNetwork }
})

function megabytes(rows: "ofMember" | "ofNetwork") {
  return Math.ceil(table.reduce((sum, row) => sum + (row.bytes * row[rows]) / 1_000_000, 0))
}

test("every text column has a length that no writer passes", () => {
  const columns = tables.flatMap((definition) => getTableConfig(definition).columns)
  const texts = columns.filter((column) => column.getSQLType() === "text")
  expect(texts.length).toBeGreaterThan(40)
  expect(texts.filter((column) => lengthOf(column) === undefined)).toEqual([])
})

test("every table has a limit of rows for each caller, or a reason and a lifetime", () => {
  expect(Object.keys(bounds).toSorted()).toEqual(table.map(({ name }) => name).toSorted())
  const unbounded = Object.entries(bounds).filter(([, limits]) =>
    limits.some(({ most, daily, network, days, why }) => {
      const isSaid = most !== undefined || daily !== undefined || network !== undefined
      return !isSaid && (why === undefined || days === undefined)
    }),
  )
  expect(unbounded).toEqual([])
})

test("the sweep deletes what does not stay, no later than its bound says", () => {
  const swept = sweepStatements(records, now)
  const late = Object.entries(bounds).flatMap(([name, limits]) =>
    limits.flatMap(({ days }) => {
      if (days === undefined) return []
      const ages = swept
        .filter(({ sql }) => sql.startsWith(`delete from "${name}"`))
        .map(({ values }) => (now.getTime() - Number(values[0])) / day)
      return ages.some((age) => age <= days && age >= 0) ? [] : [{ name, days, ages }]
    }),
  )
  expect(late).toEqual([])
})

test("in a year, one account makes less than 1 GB, and so do strangers from one network", async () => {
  const measured = {
    account: `${megabytes("ofMember")} MB`,
    network: `${megabytes("ofNetwork")} MB`,
    "years until one /48 at 100 requests a second has filled 1 GB": Number(
      (1000 / megabytes("ofNetwork")).toFixed(1),
    ),
    tables: Object.fromEntries(
      table
        .map(({ name, ...rest }) => [name, rest] as const)
        .toSorted(([a], [b]) => a.localeCompare(b)),
    ),
  }
  expect(megabytes("ofMember")).toBeLessThan(1000)
  expect(megabytes("ofNetwork")).toBeLessThan(1000)
  await expect(`${JSON.stringify(measured, null, 2)}\n`).toMatchFileSnapshot(
    "../../../../docs/bounds.json",
  )
})

/** Routes that ask the database without a limit, and why. */
const unlimited: Record<string, string> = {
  "POST /api/v1/processWebhook": "asks only for what the payment provider has signed",
}

test("every route that asks the database has a limit for its caller", () => {
  const open = Object.entries(routes).flatMap(([route, { statements, limits }]) =>
    statements !== "none" && limits === "none" ? [route] : [],
  )
  expect(open.filter((route) => !(route in unlimited))).toEqual([])
})

/** Lists that come whole, and how many rows they have at most. */
const whole: Record<string, number> = {
  "/api/auth/list-sessions": maxSessions,
  "/api/auth/list-accounts": maxIdentities,
  "/api/v1/listWays": maxIdentities + maxPasskeys + maxBrowsers,
  "/api/v1/getOverview": maxIdentities + maxPasskeys + maxBrowsers + maxSessions + 5,
  "/api/v1/getMemberAccess": maxIdentities + maxPasskeys + maxBrowsers + maxSessions + 10,
}

test("every list has pages, or few rows", () => {
  const lists = Object.entries(committed.paths).flatMap(([path, methods]) => {
    const { get } = methods as { get?: { parameters?: { name: string }[]; responses: object } }
    const answer = JSON.stringify(get?.responses ?? {})
    const isList = answer.includes('"schema":{"type":"array"') || answer.includes('"items":')
    const hasPages = get?.parameters?.some(({ name }) => name === "cursor")
    return isList && !hasPages ? [path] : []
  })
  const ofOne = [
    "/api/v1/getPlanAndUsage",
    "/api/v1/getResult",
    "/api/v1/jwks.json",
    "/api/v1/settings",
  ]
  const covered = new Set([...Object.keys(whole), ...ofOne])
  expect(lists.filter((path) => !covered.has(path))).toEqual([])
})
