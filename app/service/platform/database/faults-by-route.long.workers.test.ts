import { env } from "cloudflare:workers"
import { getTableName, is } from "drizzle-orm"
import { SQLiteTable } from "drizzle-orm/sqlite-core"
import { expect, test, vi } from "vitest"

import { schema } from "../../../schema.ts"
import { applyLate, createFaultyDatabase, faults } from "../../../testing/database-faults.ts"
import { createEveryRoute, isOfLetter, visitEveryRoute } from "../../../testing/every-route.ts"
import { ofNouns } from "../../../testing/nouns.ts"
import worker from "../../../worker.ts"

/** How many visits of all routes there are, each with other faults; set by the configuration of the tests. */
declare const FAULT_VISITS: number

/** Attempts count what was tried, also what failed; a reset ends all tokens of an account, however many. */
const uncounted = new Set(["attempt", "verification"])

const tables = Object.values(schema).flatMap((table) =>
  is(table, SQLiteTable) && !uncounted.has(getTableName(table)) ? [getTableName(table)] : [],
)

type Every = Awaited<ReturnType<typeof createEveryRoute>>
type Counts = Record<string, number>

/** Rows by table, and checkouts at the payment provider. */
async function census({ payments }: Every): Promise<Counts> {
  const counted = await env.DB.batch<{ rows: number }>(
    tables.map((name) => env.DB.prepare(`select count(*) as rows from "${name}"`)),
  )
  const rows = tables.map((name, index) => [name, counted[index]?.results[0]?.rows ?? 0])
  return { ...Object.fromEntries(rows), checkout: payments.opened() }
}

/** As text: the names in order, without those of which there are as many as before. */
function change(after: Counts, before: Counts) {
  const tableNames = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  const changes = tableNames.map(
    (name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const,
  )
  return JSON.stringify(Object.fromEntries(changes.filter(([, growth]) => growth !== 0)))
}

/** Rows of which there may be none. */
const halves = {
  "an account without a way to sign in": `select 1 from user
    where not exists (select 1 from account where user_id = user.id)
    and not exists (select 1 from audit_entry where action = 'recover_account' and subject_id = user.id)`,
  "a removed identity without its entry": `select 1 from removed_identity where not exists
    (select 1 from audit_entry where action = 'unlink_identity' and subject_id = user_id)`,
  ...ofNouns((noun) => noun.halves),
}

async function halvesFound() {
  const results = await env.DB.batch(Object.values(halves).map((sql) => env.DB.prepare(sql)))
  return Object.keys(halves).filter((_, index) => results[index]?.results.length !== 0)
}

/** Responses to a request that is repeated after it took effect and returned 503. */
const met: Record<string, { status: number; why: string }> = {
  "sign-up": { status: 422, why: "the account is there, and its password signs in" },
  "sign-up, invited": { status: 403, why: "it is spent, and the password signs in" },
  "change-password": { status: 400, why: "the password is another by now" },
  "set-password": { status: 409, why: "there is one by now, which signs in" },
  confirmEmail: { status: 400, why: "the code is spent, and the address is the new one" },
  "reset-password": { status: 400, why: "the token is spent, and the password is the new one" },
  "unlink-account": { status: 400, why: "the identity is gone, and the last one stays" },
  "sign-in, second factor": { status: 401, why: "its step is spent; a page begins again" },
  "step-up, code": { status: 400, why: "the code is spent; the app shows the next one" },
  "step-up, emailed code": { status: 400, why: "it is spent; a page asks for another" },
  "step-up, recovery code": { status: 400, why: "it is spent; there are others" },
  turnOffSecondFactor: { status: 409, why: "it is off" },
  "passkey-add": { status: 401, why: "it is there" },
  "sign-in/code": { status: 400, why: "it is spent; a page asks for another" },
  "sign-in, passkey": { status: 401, why: "its answer is spent; a page begins again" },
  "step-up, passkey": { status: 401, why: "its answer is spent; a page begins again" },
  removePasskey: { status: 404, why: "it is gone" },
  "delete-user": { status: 401, why: "there is no account any more" },
  revokeInvitation: { status: 404, why: "it is gone" },
  "revoke-sessions": { status: 401, why: "this session has ended, too" },
}

/** Rows that are created or deleted twice when a request that took effect is repeated. */
const twice: Record<string, { rows: Counts; why: string }> = {
  "sign-in": {
    rows: { session: 1, audit_entry: 1 },
    why: "no browser has the cookie of the first",
  },
  "sign-in, trusted browser": { rows: { session: 1, audit_entry: 1 }, why: "as with a password" },
  confirmTotp: { rows: { audit_entry: 1 }, why: "the answer has the codes, so it may come again" },
  renewRecoveryCodes: { rows: { audit_entry: 1 }, why: "as with the first codes" },
  "provider callback": { rows: { session: 1, audit_entry: 1 }, why: "as with a password" },
  "provider callback, first": { rows: { session: 1, audit_entry: 1 }, why: "as with a password" },
  "sign-in, wrong password": { rows: { audit_entry: 1 }, why: "two guesses" },
  ...ofNouns(({ repeated }) => repeated),
  listUsers: { rows: { audit_entry: 1 }, why: "two looks at others' data" },
  grantPremium: { rows: { audit_entry: 1 }, why: "an admin has granted it twice" },
  recoverAccount: { rows: { audit_entry: 1 }, why: "an admin has ended its access twice" },
  sendReset: { rows: { audit_entry: 1 }, why: "two letters, of which either link works" },
  sendVerification: { rows: { audit_entry: 1 }, why: "as with a reset" },
  inviteUser: { rows: { audit_entry: 1 }, why: "two letters, of which the second counts" },
  readMember: { rows: { audit_entry: 1 }, why: "as with lists" },
  getMemberAccess: { rows: { audit_entry: 1 }, why: "as with lists" },
  listAuditEntries: { rows: { audit_entry: 1 }, why: "as with lists" },
}

/** Returns emails that arrived more often than requested; notices of events are never requested. */
function lettersTooMany({ mailbox }: Every) {
  const counts = new Map<string, number>()
  for (const { to, subject } of mailbox.emails) {
    const letter = `${subject}, to ${to}`
    counts.set(letter, (counts.get(letter) ?? 0) + 1)
  }
  return [...counts].filter(
    ([letter, count]) => count > (letter.startsWith("A sign-in method") ? 1 : 2),
  )
}

const answers: Response[] = []

/** Describes the responses to an action, request by request. */
async function answersOf(action: () => Promise<unknown>) {
  answers.length = 0
  // The action may read a field that an error does not have.
  await action().catch(() => {})
  return (await Promise.all(answers.map(describe))).join()
}

async function describe({ status, headers, body }: Response) {
  const [, error = ""] = /[?&]error=(\w+)/.exec(headers.get("location") ?? "") ?? []
  const text = await new Response(body).text()
  const { code = "" } = text.startsWith("{") ? JSON.parse(text) : {}
  const cookies = headers.getSetCookie().length > 0 ? "sets cookies" : ""
  const wait = headers.has("retry-after") ? `after ${headers.get("retry-after")} s` : ""
  const words = [status, status === 503 ? code : "", wait, error, cookies]
  return [...words, text === "null" ? "nobody" : ""].filter((word) => word !== "").join(" ")
}

/** A page shows an outage by its URL, the API by a status. */
const outages = new Set(["503 UNAVAILABLE after 5 s", "302 unavailable"])

type Step = { name: string; trips: number; answered: string; before: Counts; after: Counts }

/** Visits every route while the database works. */
async function usualSteps(every: Every, faulty: ReturnType<typeof createFaultyDatabase>) {
  const steps: Step[] = []
  await visitEveryRoute(every, async (name, action) => {
    const before = await census(every)
    let outcome = ""
    const trips = await faulty.count(async () => {
      outcome = await answersOf(action)
    })
    steps.push({ name, trips, answered: outcome, before, after: await census(every) })
  })
  return steps
}

function openService() {
  const spies = [
    vi.spyOn(console, "error").mockImplementation(() => {}),
    vi.spyOn(console, "warn").mockImplementation(() => {}),
  ] as const
  const ask = worker.fetch.bind(worker)
  const fetching = vi.spyOn(worker, "fetch").mockImplementation(async (...args) => {
    const response = await ask(...args)
    answers.push(response.clone())
    return response
  })
  return {
    /** How often the log has said since the last call why the database did not answer. */
    reasons: () => {
      const lines = spies[0].mock.calls.splice(0).map(([line]) => String(line))
      return lines.filter((line) =>
        /"database.failed","reason":"(D1_ERROR:|no answers?) /.test(line),
      ).length
    },
    [Symbol.dispose]: () => [...spies, fetching].forEach((spy) => spy.mockRestore()),
  }
}

test(
  "whatever the database does to a round trip, the request reports it, and works when repeated",
  { timeout: 120_000 + FAULT_VISITS * 30_000 },
  async () => {
    using service = openService()
    const faulty = createFaultyDatabase(env.DB, (sql) => !isOfLetter(sql))
    const every = await createEveryRoute({ DB: faulty.database })
    using _network = every.network()
    const usual = await usualSteps(every, faulty)
    // With as many visits every fault meets every round trip.
    const total = faults.length * Math.max(...usual.map(({ trips }) => trips))
    const step = FAULT_VISITS < total ? faults.length + 9 : 1
    const visits = Array.from({ length: Math.min(FAULT_VISITS, total) }, (_, visit) => visit * step)
    const wrong: string[] = []
    for (const visit of visits) {
      let index = -1
      let previous = () => Promise.resolve<unknown>(undefined)
      await visitEveryRoute(every, async (name, action) => {
        const begin = previous
        previous = action
        index += 1
        const usualStep = usual[index]
        const fault = faults[(visit + index * 7) % faults.length]
        if (usualStep === undefined || fault === undefined) throw new Error("there are more steps")
        if (usualStep.trips === 0) {
          await action()
          return
        }
        const nth = 1 + (Math.floor(visit / faults.length) % usualStep.trips)
        const say = (text: string) => wrong.push(`${name}, ${nth}, ${fault.name}: ${text}`)
        // Limits would reject the repetitions.
        await env.DB.exec("delete from attempt")
        const before = await census(every)
        service.reasons()
        const first = await faulty.meet(fault, nth, () => answersOf(action))
        const isUsual = first === usualStep.answered
        if (service.reasons() > 0 === isUsual) say("the log is silent, or loud for nothing")
        if (!isUsual) {
          if (!outages.has(first)) say(`${first} for ${usualStep.answered}`)
          // A provider takes a code once.
          if (name.startsWith("provider callback")) await begin()
          const repeated = await answersOf(action)
          const isMet = fault.isApplied && repeated.startsWith(String(met[name]?.status))
          if (repeated !== usualStep.answered && !isMet) {
            say(`again ${repeated} for ${usualStep.answered}`)
          }
        }
        await applyLate()
        const growth = change(await census(every), before)
        const once = change(usualStep.after, usualStep.before)
        const rows = Object.entries(twice[name.replace(/ (of|by) .*/, "")]?.rows ?? {})
        const after = { ...usualStep.after }
        for (const [table, count] of rows) after[table] = (after[table] ?? 0) + count
        const allowed =
          isUsual || !fault.isApplied ? [once] : [once, change(after, usualStep.before)]
        if (allowed.includes(growth)) return
        say(
          `${growth} for ${once}: if two are right, add it to twice, or to repeated of the feature`,
        )
      })
      wrong.push(...(await halvesFound()))
    }
    expect([...wrong, ...lettersTooMany(every)]).toEqual([])
    expect(usual.reduce((sum, { trips }) => sum + trips, 0)).toBeGreaterThan(60)
  },
)
