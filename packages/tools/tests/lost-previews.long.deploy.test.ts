import { cpSync } from "node:fs"
import { join } from "node:path"

import { afterAll, beforeAll, expect, test, vi } from "vitest"
import * as z from "zod"

import { accountContents, emptyAccount } from "./testing/account-contents.ts"
import type { Checkout } from "./testing/checkout.ts"
import { git } from "./testing/commit.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { openPreviewSite, type PreviewSite } from "./testing/stacks/preview-site.ts"

/** The tests are one journey: each continues with the account that the previous one left. */
let site: PreviewSite
let machine: Checkout

beforeAll(async () => {
  site = await openPreviewSite()
  machine = site.openMachine("ours", { GITHUB_ACTOR: "ada" })
})

afterAll(async () => await site?.[Symbol.asyncDispose]())

/** Brings up the preview of the branch that is checked out. */
async function up(...flags: string[]) {
  return JSON.parse((await machine.succeed("branch", "up", "--json", ...flags)).stdout)
}

/** Names of the stacks that the backend knows. */
async function stacks(): Promise<string[]> {
  return (await list()).filter(({ stored }) => stored).map(({ name }) => name)
}

async function list() {
  const Listed = z.array(z.looseObject({ name: z.string(), stored: z.boolean() }))
  return Listed.parse(JSON.parse((await machine.succeed("branch", "list", "--json")).stdout))
}

test("a branch that is not one, or is not checked out, is not deployed", async () => {
  for (const branch of ["", " ", "--"]) {
    const { code, stderr, stdout } = await machine.run("branch", "up", "--", branch)
    expect({ branch, code, stdout }).toEqual({ branch, code: 2, stdout: "" })
    expect(stderr).toContain(`${JSON.stringify(branch)} is no name of a branch`)
  }
  const refused = site.openMachine("ours", { CLOUDFLARE_API_TOKEN: "expired" })
  const expired = await refused.run("branch", "up")
  expect(expired).toMatchObject({ code: 1, stderr: expect.stringMatching(/40[13]/) })
  const { code, stderr, stdout } = await machine.run("branch", "up", "nowhere")
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  expect(stderr).toContain("main is checked out here")
  expect(await accountContents(site.cloudflare)).toEqual(emptyAccount)
  expect(await stacks()).toEqual([])
})

test("a preview whose state is lost is found by down, which says what it deletes and asks", async () => {
  const { stack } = await up("--expires", "14")
  expect(stack).toBe("preview-main")
  const ownFacts = {
    stored: true,
    owner: "ada",
    commit: git(machine.directory, "rev-parse", "HEAD"),
  }
  const facts = {
    ...ownFacts,
    expires: expect.stringMatching(/^20..-..-..$/),
    size: expect.any(Number),
  }
  expect(await list()).toEqual([expect.objectContaining(facts)])
  expect((await up("--expires", "14")).changes).toEqual({ same: expect.any(Number) })
  site.loseState("ours", stack)
  const theirs = await site.account.createDatabase("accounts-preview-theirs")
  await site.account.query(theirs, "CREATE TABLE theirs (id TEXT)")
  const before = await accountContents(site.cloudflare)

  const run = await machine.run("branch", "up")
  expect(run).toMatchObject({ code: 1, stdout: "" })
  expect(run.stderr).toContain(
    "No stack of this backend knows what the account has of preview-main",
  )
  const dry = await machine.succeed("branch", "down", "--dry-run", "--json")
  const name = "accounts-preview-main"
  expect(JSON.parse(dry.stdout)).toMatchObject({
    stack,
    lost: expect.stringMatching(new RegExp(`^Worker ${name} \\(.+\\), database ${name} \\(.+\\)$`)),
    dryRun: true,
  })
  const unasked = await machine.run("branch", "down", stack, "--non-interactive")
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("Confirm with --yes.") })
  const foreign = await machine.run("branch", "down", "theirs", "--yes")
  expect(foreign.code).toBe(1)
  expect(foreign.stderr).toMatch(
    /tables that no deployment .+ made, such as theirs: .+ nothing was/,
  )
  expect(await accountContents(site.cloudflare)).toEqual(before)
  const lost = await list()
  expect(lost).toContainEqual({ ...lost[0], name: stack, stored: false })
  expect(lost).toHaveLength(2)

  const { stderr } = await machine.succeed("branch", "down", "--yes")
  for (const kind of ["host", "Worker", "database"]) expect(stderr).toContain(`deleted ${kind} `)
  expect(await accountContents(site.cloudflare)).toEqual({
    ...emptyAccount,
    databases: ["accounts-preview-theirs"],
  })
  expect(await stacks()).toEqual([])
})

test("a preview without a sign-up gets the users of environments/seed.sql, once", async () => {
  cpSync(
    join(machine.directory, "environments/seed.example.sql"),
    join(machine.directory, "environments/seed.sql"),
  )
  const { url } = await up()
  // Users of the file, and one that it lacks.
  for (const [email, status] of [
    ["owner@example.com", 200],
    ["member@example.com", 200],
    ["absent@example.com", 401],
  ] as const) {
    const signIn = await sendRequest(`${url}/api/auth/sign-in/email`, {
      connectTo: site.cloudflare.edge,
      headers: { origin: url },
      body: { email, password: "correct horse battery" },
    })
    expect({ email, status: signIn.status }).toEqual({ email, status })
  }
  expect((await up()).changes).toEqual({ same: expect.any(Number) })
})

test("a preview keeps its emails if the template asks for it, and they are read with access to the account", async () => {
  const { url } = await up()
  const ask = (path: string, body?: unknown, cookie = "") =>
    sendRequest(path.startsWith("https:") ? path : `${url}/api/auth/${path}`, {
      connectTo: site.cloudflare.edge,
      headers: { origin: url, cookie },
      ...(body === undefined ? {} : { body }),
    })
  const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }
  const before = await machine.succeed("branch", "mail")
  expect(before).toMatchObject({ stdout: "", stderr: expect.stringContaining("accounts:keepMail") })
  machine.edit("environments/preview.yaml", (file) =>
    file.replace("config:\n", "$&  accounts:keepMail: true\n  accounts:verifyEmail: true\n"),
  )
  await up()
  const signedUp = await ask("sign-up/email", ada)
  expect((await ask("sign-in/email", ada)).status).toBe(401)
  const [link] = await linksTo(ada.email)
  const opened = await ask(String(link), undefined, cookieHeader(signedUp))
  expect(opened.headers["location"]?.join()).not.toContain("error")
  expect((await ask("sign-in/email", ada)).status).toBe(200)
  await ask("request-password-reset", { email: ada.email })
  const token = new URL(String((await linksTo(ada.email, 2))[1])).searchParams.get("token")
  const changed = { ...ada, password: "another horse battery" }
  await ask("reset-password", { newPassword: changed.password, token })
  expect((await ask("sign-in/email", changed)).status).toBe(200)
  expect((await machine.succeed("branch", "mail", "preview-main")).stdout).toMatch(
    /^20\S+Z  to ada@example\.com: Verify your email address\n\nHello,\n[^]+: Reset your password\n/,
  )
  const unread = site.openMachine("ours", { CLOUDFLARE_API_TOKEN: "expired" })
  expect(await unread.run("branch", "mail")).toMatchObject({ code: 1, stdout: "" })
  const absent = await machine.run("branch", "mail", "absent")
  expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining("no preview of absent") })
})

/** Links in the emails to an address, the oldest first, once there are `count`. */
function linksTo(address: string, count = 1) {
  const Letters = z.array(z.object({ to: z.string(), text: z.string() }))
  return vi.waitFor(
    async () => {
      const { stdout } = await machine.succeed("branch", "mail", "--json")
      const letters = Letters.parse(JSON.parse(stdout)).filter(({ to }) => to === address)
      expect(letters).toHaveLength(count)
      return letters.map(({ text }) => /https:\S+/.exec(text)?.[0])
    },
    { timeout: 30_000 },
  )
}

test("a sweep with another backend finds what was deployed, and only once its branch is gone", async () => {
  const stack = "preview-main"
  const checkout = site.openMachine("others")
  const sweep = async (...flags: string[]) => {
    const { code, stdout, stderr } = await checkout.run(
      "branch",
      "sweep",
      "--yes",
      "--json",
      ...flags,
    )
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return { ...JSON.parse(stdout), stderr }
  }
  const theirs = {
    stack: "preview-theirs",
    reason: expect.stringContaining("may belong to someone else"),
  }
  expect(await sweep("--days", "0")).toMatchObject({ gone: [], kept: [theirs], deleted: [] })
  site.push("other")
  site.remove("main")
  expect(await sweep()).toMatchObject({ gone: [], kept: [{}, {}], deleted: [] })
  const swept = await sweep("--days", "0")
  expect(swept).toMatchObject({ gone: [stack], kept: [theirs], deleted: [stack] })
  expect(swept.stderr).toContain(
    `${stack}: its branch is gone, and no stack knows what the account`,
  )
  expect(await accountContents(site.cloudflare)).toEqual({
    ...emptyAccount,
    databases: ["accounts-preview-theirs"],
  })
  // The first backend's own sweep has nothing left to destroy.
  expect(await stacks()).toEqual([stack])
  await machine.succeed("branch", "sweep", "--days", "0", "--yes")
  expect(await stacks()).toEqual([])
})
