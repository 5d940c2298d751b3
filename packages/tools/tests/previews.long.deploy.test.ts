import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, expect, test, vi } from "vitest"
import * as z from "zod"

import type { LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { accountContents, deleteByHand, emptyAccount } from "./testing/account-contents.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { commit, git } from "./testing/commit.ts"
import { openPulumiCli } from "./testing/engine/pulumi-cli.ts"
import { openSpy } from "./testing/engine/spy.ts"
import { setFaults } from "./testing/faults/fault-rules.ts"
import { importFrom } from "./testing/import-from.ts"
import { authSecret, copyRows, generatedSecrets, Preview, signed } from "./testing/preview-data.ts"
import { readTree } from "./testing/read-tree.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"

const feature = "feature/Login"
const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

/** The tests are one journey: each continues with the previews that the previous one left. */
let checkout: Checkout
let cloudflare: LocalCloudflare
let pulumi: Awaited<ReturnType<typeof openPulumiCli>>
/** Folder for temporary files of the copy's commands. */
let temporary: string
/** Secrets that other processes could see while both previews came up. */
let spy: ReturnType<typeof openSpy>
/** Preview of the branch that is checked out, `main`. */
let main: Preview
/** Preview of the other branch. */
let login: Preview
/** Where the other branch is checked out. */
let tree: ReturnType<Checkout["worktree"]>

beforeAll(async () => {
  // A pull request's job sets it, which would replace the name of the checked-out branch.
  temporary = mkdtempSync(join(tmpdir(), "accounts-previews-"))
  checkout = copyCheckout({ environment: { GITHUB_HEAD_REF: "", TMPDIR: temporary } })
  const { joinOrStart } = await importFrom(checkout, "cli/process/local-cloudflare.ts")
  cloudflare = await joinOrStart({ state: checkout.state, apiPort: 0, port: 0 })
  pulumi = await openPulumiCli(checkout)
  // The other branch has a migration of its own, which is not checked out.
  git(checkout.directory, "checkout", "--quiet", "-b", feature)
  checkout.addMigration("feature", "CREATE TABLE feature (id TEXT PRIMARY KEY);\n")
  commit(checkout.directory, "Add a table")
  git(checkout.directory, "checkout", "--quiet", "main")
  tree = checkout.worktree(feature)
})

afterAll(async () => {
  await cloudflare?.stop()
  await checkout?.[Symbol.asyncDispose]()
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
})

function preview(verb: string, ...args: string[]) {
  return checkout.run("branch", verb, ...args, "--local", "--state", checkout.state)
}

/** Brings up the preview of the branch that is checked out, or of the other one where that is. */
async function up(branch?: typeof feature): Promise<Preview> {
  const args = ["branch", "up", ...(branch ? [branch] : []), "--json", "--local"]
  const commands = branch ? tree : checkout
  const { stdout } = await commands.succeed(...args, "--state", checkout.state)
  return Preview.parse(JSON.parse(stdout))
}

function sendTo(
  { url }: Preview,
  path: string,
  question: { body?: unknown; headers?: Record<string, string> } = {},
) {
  return sendRequest(`${url}${path}`, {
    connectTo: cloudflare.edge,
    ...question,
    headers: { origin: url, ...question.headers },
  })
}

async function session(of: Preview, cookie: string) {
  return (await sendTo(of, "/api/auth/get-session", { headers: { cookie } })).json
}

async function stacks() {
  return z.array(z.unknown()).parse(JSON.parse(await pulumi("stack", "ls", "-j")))
}

test("two branches come up at the same time, each with its own stack, Worker and database", async () => {
  using spied = openSpy(temporary)
  spy = spied
  ;[main, login] = await Promise.all([up(), up(feature)])
  expect(main.stack).toBe("preview-main")
  expect(login.stack).toMatch(/^preview-feature-login-[0-9a-f]{6}$/)
  for (const { changes } of [main, login]) expect(Object.keys(changes)).toEqual(["create"])
  expect(await stacks()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: main.stack }),
      expect.objectContaining({ name: login.stack }),
    ]),
  )

  const names = new Set([main, login].map(({ stack }) => `accounts-${stack}`))
  const { databases, workers, domains } = await accountContents(cloudflare)
  expect({ databases: new Set(databases), workers: new Set(workers) }).toEqual({
    databases: names,
    workers: names,
  })
  expect(new Set(domains)).toEqual(new Set([main, login].map(({ url }) => new URL(url).hostname)))
  const versions = await Promise.all(
    [main, login].map(async (of) => {
      const { status, headers } = await sendTo(of, "/api/health?schema=1")
      expect(status).toBe(200)
      return headers["accounts-version"]?.[0]
    }),
  )
  expect(new Set(versions).size).toBe(2)
})

test("no secret of a preview showed in a file, an argument or an environment while it came up", async () => {
  const secrets = (
    await Promise.all([main, login].map((previewStack) => generatedSecrets(previewStack, pulumi)))
  ).flat()
  expect(new Set(secrets).size).toBe(2 * ["AUTH_SECRET", "SMOKE_KEY", "FACTOR_SECRET"].length)
  const stateFiles = [join(checkout.state, "pulumi"), join(checkout.state, "projects")].map(
    readTree,
  )
  expect(stateFiles.join()).toContain(main.stack)
  expect(spy.text()).toContain(["branch", "up", feature].join("\0"))
  expect(spy.environments().join()).toContain("PULUMI_CONFIG_PASSPHRASE=")
  const texts = [spy.text(), ...spy.environments(), ...stateFiles]
  expect(secrets.filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([])
})

test("a user of one preview is unknown in the other", async () => {
  expect((await sendTo(main, "/api/auth/sign-up/email", { body: ada })).status).toBe(200)
  const signIn = (of: Preview) => sendTo(of, "/api/auth/sign-in/email", { body: ada })
  expect((await signIn(main)).status).toBe(200)
  expect((await signIn(login)).status).toBe(401)
  await sendTo(main, "/api/auth/request-password-reset", { body: ada })
  await vi.waitFor(async () => expect((await preview("mail")).stdout).toMatch(/: Reset/), 30_000)
})

test("one preview rejects the session cookie of the other, because their secrets differ", async () => {
  const cookie = cookieHeader(await sendTo(main, "/api/auth/sign-in/email", { body: ada }))
  expect(await session(main, cookie)).toMatchObject({ user: { email: ada.email } })
  expect(await session(login, cookie)).toBeNull()

  // The database gets the same rows, so that only the signature can make it reject the cookie.
  await copyRows(cloudflare, { from: main, to: login, tables: ["user", "session"] })
  expect(await session(login, cookie)).toBeNull()
  const secrets = { main: await authSecret(main, pulumi), login: await authSecret(login, pulumi) }
  expect(secrets.main).not.toBe(secrets.login)
  expect(signed(cookie, secrets.main)).toBe(cookie)
  expect(await session(login, signed(cookie, secrets.login))).toMatchObject({
    user: { email: ada.email },
  })
})

test("a second up changes nothing", async () => {
  const { changes, ...outputs } = await up(feature)
  expect({ ...login, ...outputs }).toEqual(login)
  expect(Object.keys(changes)).toEqual(["same"])
})

test("list shows both, as text and as one JSON document", async () => {
  const { code, stdout } = await preview("list")
  expect(code).toBe(0)
  expect(stdout.split("\n").filter(Boolean).toSorted()).toEqual([
    expect.stringMatching(new RegExp(`^${login.stack}  ${feature}  ${login.url}  20`)),
    expect.stringMatching(new RegExp(`^${main.stack}  main  ${main.url}  20`)),
  ])
  const document = z
    .array(z.object({ name: z.string(), url: z.string() }))
    .parse(JSON.parse((await preview("list", "--json")).stdout))
  expect(document.map(({ name }) => name).toSorted()).toEqual([login.stack, main.stack])
  expect(document.map(({ url }) => url).toSorted()).toEqual([login.url, main.url].toSorted())
})

test("a preview locked by a killed run is repaired by name, and no other is created", async () => {
  const killed = spawnSync(process.execPath, ["--version"])
  const locks = `${checkout.state}/pulumi/state/.pulumi/locks/organization/accounts/${login.stack}`
  mkdirSync(locks, { recursive: true })
  const lock = { pid: killed.pid, username: "ada", hostname: hostname(), timestamp: "2026-01-01" }
  writeFileSync(join(locks, "killed.json"), JSON.stringify(lock))
  writeFileSync(join(locks, "killed-while-writing.json"), JSON.stringify(lock).slice(0, 20))
  const repair = (stack: string, ...flags: string[]) =>
    checkout.run("repair", "-s", stack, "--local", "--json", "--state", checkout.state, ...flags)
  // A lock without a holder's name may belong to a run that goes on.
  expect(await repair(login.stack)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/lock killed-while-writing.+ --unlock/),
  })
  const { code, stdout } = await repair(login.stack, "--unlock")
  expect({ code, done: JSON.parse(stdout) }).toEqual({
    code: 0,
    done: { locks: 2, adopted: [], cleared: [] },
  })
  expect(await repair("preview-nowhere")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no preview of nowhere"),
  })
  expect(await stacks()).toHaveLength(2)
})

test("each branch is deployed where it is checked out, and a preview has no other code than that", async () => {
  const health = async (of: Preview) => (await sendTo(of, "/api/health?schema=1")).text
  expect(await health(login)).toContain('_feature.sql"')
  expect(await health(main)).not.toContain('_feature.sql"')
  const { code, stderr, stdout } = await preview("up", feature)
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  expect(stderr).toMatch(/main is checked out here.+git worktree add .+ feature\/Login/)
})

test("a sweep deletes nothing of a branch that exists, nor what was just updated, nor without being told", async () => {
  git(
    checkout.directory,
    "worktree",
    "remove",
    "--force",
    join(checkout.state, "worktrees", feature),
  )
  git(checkout.directory, "branch", "--quiet", "-D", feature)
  const dry = await preview("sweep", "--dry-run", "--days", "0", "--json")
  expect(dry.code).toBe(0)
  // `main` is checked out.
  expect(JSON.parse(dry.stdout)).toEqual({
    gone: [login.stack],
    kept: [],
    deleted: [],
    failed: [],
    dryRun: true,
  })
  const young = await preview("sweep", "--yes", "--json")
  expect(JSON.parse(young.stdout)).toMatchObject({ gone: [], kept: [{ stack: login.stack }] })
  const unasked = await preview("sweep", "--days", "0", "--non-interactive")
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("Confirm with --yes.") })
  expect(await stacks()).toHaveLength(2)
})

test("one preview goes down, even from a fresh clone, and the other keeps serving", async () => {
  rmSync(join(checkout.state, "projects", login.stack), { recursive: true })
  // The Worker looks deleted by others to a provider.
  const match = { surface: "api", method: "GET", path: "*/workers/workers/*" }
  const action = { type: "status", status: 404, code: 10_007 }
  await setFaults(cloudflare, [{ name: "kept", match, when: { nth: 1 }, action }])
  expect(await preview("down", feature)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`deleted Worker accounts-${login.stack}`),
  })
  await setFaults(cloudflare, [])
  expect((await sendTo(login, "/api/health")).headers).not.toHaveProperty("accounts-version")
  expect(await accountContents(cloudflare)).toMatchObject({
    databases: [`accounts-${main.stack}`],
    workers: [`accounts-${main.stack}`],
  })
  expect((await sendTo(main, "/api/health?schema=1")).status).toBe(200)
  expect((await sendTo(main, "/api/auth/sign-in/email", { body: ada })).status).toBe(200)
})

test("down --dry-run says what it would delete, and the preview keeps serving", async () => {
  const { code, stdout } = await preview("down", "main", "--dry-run", "--json")
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    stack: main.stack,
    changes: { delete: expect.any(Number) },
    dryRun: true,
  })
  expect((await sendTo(main, "/api/health?schema=1")).status).toBe(200)
})

test("a second down has nothing to do, and creates no preview", async () => {
  const { code, stdout, stderr } = await preview("down", feature)
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" })
  expect(stderr).toBe(`Nothing to do: there is no preview of ${feature}.\n`)
  expect(await stacks()).toEqual([expect.objectContaining({ name: main.stack })])
})

test("a sweep deletes the last preview with its branch, and nothing is left", async () => {
  git(checkout.directory, "branch", "-m", "main", "trunk")
  // A resource that was deleted by hand does not stop it.
  await deleteByHand(cloudflare, "d1/database", `accounts-${main.stack}`)
  const { code, stdout } = await preview("sweep", "--days", "0", "--yes", "--json")
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, deleted: [main.stack] })
  expect(await preview("sweep", "--days", "0", "--yes")).toMatchObject({
    code: 0,
    stderr: "Nothing to delete.\n",
  })
  expect(await accountContents(cloudflare)).toEqual(emptyAccount)
  expect(await stacks()).toEqual([])
  expect(readdirSync(join(checkout.state, "projects"))).toEqual([])
  expect(await preview("list")).toMatchObject({ code: 0, stdout: "", stderr: "No previews.\n" })
})
