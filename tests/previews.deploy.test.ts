import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"

import Cloudflare from "cloudflare"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import type { LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { accountContents, emptyAccount } from "./testing/account-contents.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { openPulumiCli } from "./testing/engine/pulumi-cli.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"

const Preview = z.object({
  stack: z.string(),
  url: z.url(),
  changes: z.record(z.string(), z.number()),
})
type Preview = z.infer<typeof Preview>

const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

const feature = "feature/Login"
const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

/** One journey: each test continues with the previews that the previous one left. */
let checkout: Checkout
let cloudflare: LocalCloudflare
let pulumi: Awaited<ReturnType<typeof openPulumiCli>>
/** Preview of the branch that is checked out, `main`. */
let main: Preview
/** Preview of the other branch. */
let login: Preview

beforeAll(async () => {
  // In a pull request's job it is set and would replace the name of the checked-out branch.
  checkout = copyCheckout({ environment: { GITHUB_HEAD_REF: "" } })
  const { joinOrStart } = await import(join(checkout.directory, "cli/process/local-cloudflare.ts"))
  cloudflare = await joinOrStart({ state: checkout.state, apiPort: 0, port: 0 })
  pulumi = await openPulumiCli(checkout)
})

afterAll(async () => {
  await cloudflare?.stop()
  await checkout?.[Symbol.asyncDispose]()
})

function preview(verb: string, ...args: string[]) {
  return checkout.run("preview", verb, ...args, "--local", "--state", checkout.state)
}

/** Brings up the preview of a branch; default: the branch that is checked out. */
async function up(...branch: string[]): Promise<Preview> {
  const { code, stdout, stderr } = await preview("up", ...branch, "--json")
  if (code !== 0) throw new Error(stderr)
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

test("a user of one preview is unknown in the other", async () => {
  expect((await sendTo(main, "/api/auth/sign-up/email", { body: ada })).status).toBe(200)
  const signIn = (of: Preview) => sendTo(of, "/api/auth/sign-in/email", { body: ada })
  expect((await signIn(main)).status).toBe(200)
  expect((await signIn(login)).status).toBe(401)
})

test("one preview rejects the session cookie of the other, because their secrets differ", async () => {
  const cookie = cookieHeader(await sendTo(main, "/api/auth/sign-in/email", { body: ada }))
  expect(await session(main, cookie)).toMatchObject({ user: { email: ada.email } })
  expect(await session(login, cookie)).toBeNull()

  // With the same rows in its database, only the signature can make it reject the cookie.
  await copyRows({ from: main, to: login, tables: ["user", "session"] })
  expect(await session(login, cookie)).toBeNull()
  const secrets = { main: await authSecret(main), login: await authSecret(login) }
  expect(secrets.main).not.toBe(secrets.login)
  expect(signed(cookie, secrets.main)).toBe(cookie)
  expect(await session(login, signed(cookie, secrets.login))).toMatchObject({
    user: { email: ada.email },
  })
})

test("a second up changes nothing", async () => {
  const { changes, ...same } = await up(feature)
  expect({ ...login, ...same }).toEqual(login)
  expect(Object.keys(changes)).toEqual(["same"])
})

test("preview list shows both, as text and as one JSON document", async () => {
  const { code, stdout } = await preview("list")
  expect(code).toBe(0)
  expect(stdout.split("\n").filter(Boolean).toSorted()).toEqual([
    expect.stringMatching(new RegExp(`^${login.stack} `)),
    expect.stringMatching(new RegExp(`^${main.stack} `)),
  ])
  const document = z
    .array(z.object({ name: z.string() }))
    .parse(JSON.parse((await preview("list", "--json")).stdout))
  expect(document.map(({ name }) => name).toSorted()).toEqual([login.stack, main.stack])
})

test("a preview locked by a killed run is repaired by name, and no other is created", async () => {
  const killed = spawnSync(process.execPath, ["--version"])
  const backend = join(checkout.state, "pulumi", "state")
  const locks = join(backend, ".pulumi", "locks", "organization", "accounts", login.stack)
  mkdirSync(locks, { recursive: true })
  const lock = { pid: killed.pid, username: "ada", hostname: hostname(), timestamp: "2026-01-01" }
  writeFileSync(join(locks, "killed.json"), JSON.stringify(lock))
  writeFileSync(join(locks, "killed-while-writing.json"), JSON.stringify(lock).slice(0, 20))
  const repair = (stack: string) =>
    checkout.run("repair", "-s", stack, "--local", "--json", "--state", checkout.state)
  const { code, stdout } = await repair(login.stack)
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

test("one preview goes down, even from a fresh clone, and the other keeps serving", async () => {
  rmSync(join(checkout.state, "projects", login.stack), { recursive: true })
  expect(await preview("down", feature)).toMatchObject({ code: 0 })
  expect((await sendTo(login, "/api/health")).headers).not.toHaveProperty("accounts-version")
  expect(await accountContents(cloudflare)).toMatchObject({
    databases: [`accounts-${main.stack}`],
    workers: [`accounts-${main.stack}`],
  })
  expect((await sendTo(main, "/api/health?schema=1")).status).toBe(200)
  expect((await sendTo(main, "/api/auth/sign-in/email", { body: ada })).status).toBe(200)
})

test("a second down reports that the preview does not exist, and creates none", async () => {
  const { code, stdout, stderr } = await preview("down", feature)
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toMatch(/error: There is no preview of feature\/Login: .*main\.$/m)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(await stacks()).toEqual([expect.objectContaining({ name: main.stack })])
})

test("after the last preview is down, nothing is left", async () => {
  expect(await preview("down")).toMatchObject({ code: 0 })
  expect(await accountContents(cloudflare)).toEqual(emptyAccount)
  expect(await stacks()).toEqual([])
  expect(readdirSync(join(checkout.state, "projects"))).toEqual([])
  expect(await preview("list")).toMatchObject({ code: 0, stdout: "", stderr: "No previews.\n" })
})

test.each([
  ["without a token", "", /CLOUDFLARE_API_TOKEN is not set.*--local/],
  ["with the placeholder for an account", "x", /preview\.yaml[\s\S]*accountId is still the placeh/],
])("preview up at Cloudflare creates nothing %s", async (_how, token, message) => {
  await using clone = copyCheckout({ environment: { CLOUDFLARE_API_TOKEN: token } })
  clone.edit("environments/preview.yaml", (text) =>
    text.replace(/(?<=accountId: "?)[0-9a-f]{32}/, "0".repeat(32)),
  )
  const { code, stdout, stderr } = await clone.run("preview", "up", feature)
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(existsSync(clone.state)).toBe(false)
})

/** The same cookies, with the session cookie signed with `secret` as better-auth does. */
function signed(cookies: string, secret: string): string {
  return cookies.replace(/(?<=session_token=)[^;]+/, (value) => {
    const [token = ""] = decodeURIComponent(value).split(".")
    const signature = createHmac("sha256", secret).update(token).digest("base64")
    return encodeURIComponent(`${token}.${signature}`)
  })
}

/** The generated secret of a preview, from the decrypted state. */
async function authSecret({ stack }: Preview): Promise<string> {
  const State = z.object({
    deployment: z.object({
      resources: z.array(
        z.object({
          urn: z.string(),
          outputs: z.object({ value: z.object({ plaintext: z.string() }).optional() }).optional(),
        }),
      ),
    }),
  })
  const { deployment } = State.parse(
    JSON.parse(await pulumi("stack", "export", "--show-secrets", "--stack", stack)),
  )
  const made = deployment.resources.find(({ urn }) => /Secret::\S+-auth$/.test(urn))
  return z
    .string()
    .min(1)
    .parse(JSON.parse(made?.outputs?.value?.plaintext ?? '""'))
}

async function copyRows({ from, to, tables }: { from: Preview; to: Preview; tables: string[] }) {
  const { api, token, accountId: account_id } = cloudflare
  const { database } = new Cloudflare({ baseURL: api, apiToken: token }).d1
  const query = async ({ stack }: Preview, sql: string) => {
    const [found] = await Array.fromAsync(database.list({ account_id, name: `accounts-${stack}` }))
    const answers = await Array.fromAsync(database.query(found?.uuid ?? "", { account_id, sql }))
    return answers.flatMap(({ results }) => z.array(Row).parse(results))
  }
  for (const table of tables) {
    for (const row of await query(from, `SELECT * FROM ${table}`)) {
      const values = Object.values(row).map((value) => (value === null ? "NULL" : `'${value}'`))
      await query(
        to,
        `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")})`,
      )
    }
  }
}
