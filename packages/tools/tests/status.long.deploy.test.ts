import { execFileSync } from "node:child_process"

import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { setFaults } from "./testing/faults/fault-rules.ts"
import { openStagingSite, type StagingSite } from "./testing/stacks/staging-site.ts"

const Findings = z.array(
  z.object({ what: z.string(), state: z.string(), found: z.string(), next: z.string().optional() }),
)

const worker = "accounts-staging"

/** The tests are one journey: each continues with the environment that the previous one left. */
let site: StagingSite

/** The stack file's history begins at this time. */
function commitAt(date: string, ...flags: string[]) {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], {
      cwd: site.checkout.directory,
      env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
    })
  git("add", "--force", "environments")
  git("commit", "--quiet", "--message", "the environments", ...flags)
}

beforeAll(async () => {
  site = await openStagingSite()
  site.configure({ "accounts:routes": ["app.staging.accounts.test/api/*"] })
  await site.checkout.succeed("environment", "render")
  commitAt(new Date().toISOString())
  await site.checkout.succeed("up", "-s", "staging", "--yes")
})

afterAll(async () => await site?.[Symbol.asyncDispose]())

/** Leaves out the fixture's own finding, which no committed file may have. */
async function status() {
  const { code, stdout, stderr } = await site.checkout.run("status", "-s", "staging", "--json")
  const findings = Findings.parse(JSON.parse(stdout)).filter(({ found }) => !/R09/.test(found))
  const wrong = findings.filter(({ state }) => state === "wrong" || state === "unknown")
  return { code, stderr, findings, wrong }
}

async function sql(text: string) {
  const [database] = await site.idsOf("d1/database")
  await site.account.call("POST", `/d1/database/${database}/query`, { sql: text })
}

test("each of seven damages at once is named, and none twice", async () => {
  const { account } = site
  const [database] = await site.idsOf("d1/database")
  await account.call("PATCH", `/workers/workers/${worker}`, { logpush: true })
  await account.call("PUT", `/workers/scripts/${worker}/schedules`, [{ cron: "0 0 * * *" }])
  await account.call("PUT", `/d1/database/${database}`, { read_replication: { mode: "auto" } })
  await account.setRoutes(worker)
  const [live] = await account.deployments(worker)
  const copy = await account.call("PATCH", `/workers/workers/${worker}/versions/latest`, {})
  const versions = [...Object.keys(live?.shares ?? {}), z.object({ id: z.string() }).parse(copy).id]
  await account.deploy(worker, Object.fromEntries(versions.map((id) => [id, 50])), "by hand")
  await sql(
    "CREATE TRIGGER by_hand BEFORE INSERT ON account BEGIN SELECT RAISE(ABORT, 'no sign-up'); END",
  )
  site.configure({ "accounts:logSampling": 0.5 })
  const { code, wrong } = await status()
  expect(code).toBe(1)
  expect(wrong.map(({ what, found }) => `${what}: ${found}`)).toEqual([
    expect.stringMatching(
      /^stack file: is not what its effective file says:\n- .* 100 %\n\+ .* 50 %$/,
    ),
    'drift: D1Database accounts: readReplication is {"mode":"auto"}, and was {"mode":"disabled"}',
    "drift: Worker accounts: logpush is true, and was false",
    expect.stringMatching(/^drift: Release accounts: versionId is .* at 50 %, and was /),
    "drift: WorkersRoute accounts-app.staging.accounts.test/api/*: gone",
    expect.stringMatching(/^drift: CronTriggers accounts: crons is /),
    expect.stringMatching(/^sign-in: .*sign-up\/email answered 500/),
  ])
})

test("up ends them, and as it left the environment nothing needs attention", async () => {
  await sql("DROP TRIGGER by_hand")
  await site.checkout.succeed("environment", "render")
  await site.checkout.succeed("up", "-s", "staging", "--yes")
  const { findings, wrong } = await status()
  expect(wrong).toEqual([])
  expect(findings.map(({ what }) => what)).toEqual([
    "plan",
    "release",
    "sign-in",
    "database",
    "certificate",
    "token",
    "secrets",
    "backup",
  ])
})

test("a file in the ledger that is not in the checkout, and a secret of two years ago", async () => {
  await sql("INSERT INTO d1_migrations (name) VALUES ('9999_by_hand.sql')")
  commitAt("2024-11-24T00:00:00Z", "--amend")
  const { wrong } = await status()
  expect(wrong).toMatchObject([
    { what: "plan", state: "unknown" },
    {
      what: "database",
      found: expect.stringContaining("9999_by_hand.sql is recorded as applied but is not"),
    },
    { what: "secrets", found: "AUTH_SECRET was sealed on 2024-11-24" },
  ])
  await sql("DELETE FROM d1_migrations WHERE name = '9999_by_hand.sql'")
  commitAt(new Date().toISOString(), "--amend")
})

/** Does the same to every question to every database. */
async function disturb(action?: object) {
  const rule = { match: { surface: "d1" }, when: { probability: 1, seed: 1 }, action }
  await setFaults(site.cloudflare, action === undefined ? [] : [rule])
}

test("a slow database is told with what it usually takes, and one that does not answer once", async () => {
  await disturb({ type: "delay", ms: 600 })
  const slow = await status()
  expect(slow.code).toBe(1)
  expect(slow.wrong).toEqual([
    {
      what: "database",
      state: "wrong",
      found: expect.stringMatching(/^the Worker waits \d{4} ms for it, usually some 20$/),
      next: "docs/operating.md#by-symptom",
    },
  ])
  const signIn = slow.findings.find(({ what }) => what === "sign-in")
  expect(signIn?.found).toMatch(/ in \d+\.\d s, usually 1 to 3 s$/)

  await disturb({ type: "d1-error", error: "Network connection lost." })
  const silent = await status()
  expect(silent.code).toBe(1)
  expect(silent.wrong).toEqual([
    {
      what: "database",
      state: "unknown",
      found: expect.stringMatching(/^D1 does not answer, so nothing is known of rows, .*release/),
      next: "docs/operating.md#by-symptom",
    },
  ])
  await disturb()
  expect((await status()).wrong).toEqual([])
})

test.each([
  [
    "a host that was detached",
    async () => {
      for (const id of await site.idsOf("workers/domains")) {
        await site.account.call("DELETE", `/workers/domains/${id}`)
      }
    },
    [/^drift: WorkersCustomDomain .*: gone$/],
  ],
  [
    "a Worker that was deleted",
    async () => void (await site.account.call("DELETE", `/workers/workers/${worker}`)),
    [/^drift: Worker accounts: gone$/],
  ],
  [
    "a database that was deleted",
    async () => {
      const [database] = await site.idsOf("d1/database")
      await site.account.call("DELETE", `/d1/database/${database}`)
    },
    [/^drift: D1Database accounts: gone$/, /^drift: Worker accounts: gone$/],
  ],
])("%s is named once", async (_what, damage, expectedFindings) => {
  await damage()
  const { wrong } = await status()
  const drifted = wrong.map(({ what, found }) => `${what}: ${found}`)
  expect(drifted).toEqual(expectedFindings.map((pattern) => expect.stringMatching(pattern)))
})
