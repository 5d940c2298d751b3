import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

import type { Database } from "@accounts-stack/d1-migrations/d1"
import { literal } from "@accounts-stack/d1-migrations/files"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { operatorStatements } from "../../../infra/operator-statements.ts"
import type { LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { startFaultProxy, type Fault } from "../deploy/testing/fault-proxy.ts"
import { grantOwner as grant } from "../operate/member.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { git } from "./testing/commit.ts"
import { openPulumiCli, readShellValues } from "./testing/engine/pulumi-cli.ts"
import { ada, grantOutput, databaseAt, mary, rolesIn } from "./testing/owner-fixtures.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { openPrepared, type PreparedEnvironment } from "./testing/vitest/prepared-environment.ts"

let checkout: Checkout
let prepared: PreparedEnvironment
let url: string
let cloudflare: LocalCloudflare
let databaseId: string
let database: Database

beforeAll(async () => {
  checkout = copyCheckout()
  prepared = await openPrepared(checkout)
  ;({ cloudflare, databaseId, url } = prepared)
  database = databaseAt(cloudflare, databaseId)
})

afterAll(async () => {
  await prepared?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

function post(path: string, body: object, cookie = "") {
  return sendRequest(`${url}${path}`, { headers: { origin: url, cookie }, body })
}

function get(path: string, cookie: string) {
  return sendRequest(`${url}${path}`, { headers: { cookie, origin: url } })
}

function run(email: string, stack: string, ...flags: string[]) {
  return checkout.run("owner", "grant", email, "-s", stack, "--state", checkout.state, ...flags)
}

function signUp(user: typeof ada) {
  return post("/api/auth/sign-up/email", user)
}

test("a user who has not signed up cannot become the first owner", async () => {
  expect(await run(ada.email, "local")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("local has no user ada@example.com: sign up there first."),
  })
})

test("the first owner has a verified address, unless the operator passes --unverified", async () => {
  for (const user of [ada, mary]) expect((await signUp(user)).status).toBe(200)
  const refused = await run(ada.email, "local", "--json")
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/ada@example\.com is not verified in local: .*--unverified\.$/m)
  expect(JSON.parse(refused.stdout)).toEqual(grantOutput(ada.email, "unverified"))
  expect(await rolesIn(database)).toEqual([
    { name: "Ada", role: "member" },
    { name: "Mary", role: "member" },
  ])
})

test("an open session has the owner's role from its next request on", async () => {
  const cookie = cookieHeader(await post("/api/auth/sign-in/email", mary))
  expect((await get("/api/v1/listUsers", cookie)).status).toBe(403)

  // The same address in another case.
  const granted = await run("Mary.O'Hara@Example.com", "local", "--unverified", "--json")
  expect(granted).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("✓ mary.o'hara@example.com is now the owner of local."),
  })
  expect(JSON.parse(granted.stdout)).toEqual(grantOutput(mary.email, "granted"))

  const Page = z.object({ items: z.array(z.looseObject({ name: z.string(), role: z.string() })) })
  const listed = await get("/api/v1/listUsers", cookie)
  expect(listed.status).toBe(200)
  expect(Page.parse(listed.json).items).toEqual([
    expect.objectContaining({ name: "Mary", role: "owner" }),
    expect.objectContaining({ name: "Ada", role: "member" }),
  ])
})

test("a second grant keeps the owner and writes nothing", async () => {
  const stored = () => database.ask("SELECT * FROM user ORDER BY id")
  const before = await stored()
  expect(await run(mary.email, "local", "--json")).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ stack: "local", email: mary.email, outcome: "already_owner" })}\n`,
    stderr: expect.stringContaining("is already an owner of local: nothing was changed."),
  })
  expect(await stored()).toEqual(before)
})

test("the operator makes only the first owner: owners make the others", async () => {
  await database.change(`UPDATE user SET email_verified = 1 WHERE email = '${ada.email}'`)
  expect(await run(ada.email, "local")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("local already has an owner."),
  })

  const cookie = cookieHeader(await post("/api/auth/sign-in/email", mary))
  const rows = await database.ask(`SELECT id FROM user WHERE email = '${ada.email}'`)
  const { id: userId } = z.object({ id: z.string() }).parse(rows[0])
  expect((await post("/api/v1/changeRole", { userId, role: "owner" }, cookie)).status).toBe(200)
  expect(await rolesIn(database)).toEqual([
    { name: "Ada", role: "owner" },
    { name: "Mary", role: "owner" },
  ])
})

test("a verified user needs no flag once there is no owner", async () => {
  await nobodyOwns()
  expect((await run(ada.email, "local")).code).toBe(0)
  expect(await rolesIn(database)).toEqual([
    { name: "Ada", role: "owner" },
    { name: "Mary", role: "member" },
  ])
})

function nobodyOwns() {
  return database.change("UPDATE user SET role = 'member'")
}

test("an unknown stack is named and not created", async () => {
  expect(await run(ada.email, "nowhere")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no stack nowhere: environments/Pulumi.nowhere.yaml"),
  })
  expect(await run(ada.email, "preview-nowhere", "--local")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no stack preview-nowhere on this machine."),
  })
  const pulumi = await openPulumiCli(checkout)
  const stacks: unknown = JSON.parse(await pulumi("stack", "ls", "--json"))
  expect(stacks).toEqual([expect.objectContaining({ name: "local" })])
})

test("a permanent environment accepts no unverified owner", async () => {
  checkout.edit("environments/Pulumi.staging.yaml", (text) => text.replace(/0{32}/, "1".repeat(32)))
  expect(await run(ada.email, "staging", "--unverified")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("an owner there needs a verified address"),
  })
})

test("the token is never sent to a foreign API", async () => {
  checkout.edit("environments/Pulumi.staging.yaml", (text) =>
    text.replace("config:\n", "config:\n  cloudflare:baseUrl: https://stranger.example\n"),
  )
  const { code, stderr } = await run(ada.email, "staging")
  expect(code).toBe(1)
  expect(stderr).toMatch(/cloudflare:baseUrl baseUrl is https:\/\/api\.cloudflare\.com/)
})

const update = { method: "POST", path: /\/query$/, body: /UPDATE user/ }

/** Grants through a proxy that injects a fault into the statement that changes the role. */
async function grantThrough(fault: Fault, times: number) {
  await nobodyOwns()
  await using proxy = await startFaultProxy(cloudflare.api)
  proxy.inject({ ...update, fault, times })
  const outcome = await grant({
    database: databaseAt(cloudflare, databaseId, proxy.url),
    email: mary.email,
    unverified: true,
  })
  return { outcome, sent: proxy.seen.filter(({ body }) => update.body.test(body)).length }
}

test.each([
  ["drop after", 4, 4],
  ["500 after", 4, 4],
  ["false after", 1, 1],
  ["drop before", 1, 2],
] as const)(
  "after a lost answer (%s, %i times) the role that is read back decides the outcome",
  async (fault, times, requestCount) => {
    expect(await grantThrough(fault, times)).toEqual({ outcome: "granted", sent: requestCount })
    expect(await rolesIn(database)).toContainEqual({ name: "Mary", role: "owner" })
  },
)

/** The grant itself, without its audit entry. */
function grantStatement({ email, unverified }: { email: string; unverified: boolean }) {
  return operatorStatements.owner.grant({ email: literal(email), unverified }).at(-1) ?? ""
}

test("a statement that never arrived is not reported as granted", async () => {
  await expect(grantThrough("drop before", 4)).rejects.toThrow(
    /is not an owner yet.*Run this again/,
  )
  expect(await rolesIn(database)).not.toContainEqual({ name: "Mary", role: "owner" })
})

test("the statement itself rejects every user who may not become owner", async () => {
  await nobodyOwns()
  await database.change(grantStatement({ email: mary.email, unverified: false }))
  expect(await rolesIn(database)).not.toContainEqual({ name: "Mary", role: "owner" })
  await database.change(grantStatement({ email: ada.email, unverified: false }))
  await database.change(grantStatement({ email: mary.email, unverified: true }))
  expect(await rolesIn(database)).toEqual([
    { name: "Ada", role: "owner" },
    { name: "Mary", role: "member" },
  ])
})

test("two simultaneous grants make one owner, and one audit entry", async () => {
  await nobodyOwns()
  const entries = "SELECT subject_id FROM audit_entry WHERE action = 'change_role'"
  const before = await database.ask(entries)
  const grants = [ada, mary].map(({ email }) => grant({ database, email, unverified: true }))
  expect((await Promise.all(grants)).toSorted()).toEqual(["granted", "other_owner"])
  expect(
    (await rolesIn(database)).filter((row) => JSON.stringify(row).includes("owner")),
  ).toHaveLength(1)
  expect(await database.ask(entries)).toHaveLength(before.length + 1)
})

test("the owner of a preview is granted from this machine's state or with the operator's own token", async () => {
  const here = ["--state", checkout.state, ...prepared.ports]
  git(checkout.directory, "symbolic-ref", "HEAD", "refs/heads/owned")
  const up = await checkout.run("branch", "up", "owned", "--local", "--json", ...here)
  const { url: origin, stack } = z
    .object({ url: z.string(), stack: z.string() })
    .parse(JSON.parse(up.stdout))
  const connectTo = cloudflare.edge
  for (const body of [ada, mary]) {
    await sendRequest(`${origin}/api/auth/sign-up/email`, { headers: { origin }, body, connectTo })
  }

  expect(await run(ada.email, stack, "--local", "--unverified")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`${ada.email} is now the owner of ${stack}.`),
  })

  const main = join(checkout.directory, "packages/tools/cli/main.js")
  const asOperator = (email: string, environment: NodeJS.ProcessEnv) =>
    promisify(execFile)(
      process.execPath,
      [main, "owner", "grant", email, "-s", stack, "--state", checkout.state, "--json"],
      { cwd: checkout.directory, env: { ...process.env, ...environment } },
    )
  const values = await readShellValues(checkout)
  const { stdout } = await asOperator(ada.email, values)
  expect(JSON.parse(stdout)).toEqual({ stack, email: ada.email, outcome: "already_owner" })
  await expect(asOperator(mary.email, values)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${stack} already has an owner.`),
  })
  await expect(
    asOperator(mary.email, { ...values, CLOUDFLARE_API_TOKEN: "x".repeat(40) }),
  ).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: The database of .* cannot be used: POST .*: 40[0-9] /m),
  })
  // The preview has its own database: that of `local` is unchanged.
  expect(await database.ask("SELECT count(*) AS users FROM user")).toEqual([{ users: 2 }])
})

test("no statement scans the users", async () => {
  const statements = [
    grantStatement({ email: ada.email, unverified: false }),
    operatorStatements.owner.standing(literal(ada.email)),
  ]
  const Plan = z.array(z.object({ detail: z.string() }))
  for (const statement of statements) {
    const rows = await database.ask(`EXPLAIN QUERY PLAN ${statement}`)
    const details = Plan.parse(rows).map(({ detail }) => detail)
    expect(details.filter((detail) => /\bSCAN\b(?! CONSTANT)/.test(detail))).toEqual([])
    expect(details.join("\n")).toMatch(/SEARCH user USING .*INDEX user_role/)
  }
})
