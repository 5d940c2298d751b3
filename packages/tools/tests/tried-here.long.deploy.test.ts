import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempDisposableSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { findEngine } from "../cli/engine/engine.ts"
import type { LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { importFrom } from "./testing/import-from.ts"
import { sendRequest } from "./testing/send-request.ts"

const zone = "accounts-staging.accounts.test"
const api = `https://api.${zone}`
let file = "environments/Pulumi.staging.yaml"
let stack = "staging"
const Outputs = z.object({ outputs: z.object({ url: z.string(), versionId: z.string() }) })
const Findings = z.array(z.looseObject({ what: z.string(), state: z.string(), found: z.string() }))

/** The tests are one journey of an operator before there is an account: each continues where the previous one ended. */
let checkout: Checkout
let cloudflare: LocalCloudflare
/** Where the stack lives that is not of this machine. */
let folder: ReturnType<typeof mkdtempDisposableSync>
let backend: { PULUMI_BACKEND_URL: string; PULUMI_CONFIG_PASSPHRASE: string }

beforeAll(async () => {
  folder = mkdtempDisposableSync(join(tmpdir(), "accounts-tried-"))
  backend = { PULUMI_BACKEND_URL: `file://${folder.path}`, PULUMI_CONFIG_PASSPHRASE: "x" }
  checkout = copyCheckout({ environment: backend })
  const { joinOrStart } = await importFrom(checkout, "cli/process/local-cloudflare.ts")
  cloudflare = await joinOrStart({ state: checkout.state, apiPort: 0, port: 0 })
})

afterAll(async () => {
  await cloudflare?.stop()
  await checkout?.[Symbol.asyncDispose]()
  folder?.remove()
})

function staging(command: string[], ...flags: string[]) {
  return checkout.run(...command, "-s", stack, "--local", "--state", checkout.state, ...flags)
}

async function up() {
  const { code, stdout, stderr } = await staging(["up"], "--yes", "--json")
  expect(code, stderr).toBe(0)
  return Outputs.parse(JSON.parse(stdout)).outputs
}

async function pulumi(args: string[], env: Record<string, string>) {
  const { command } = await findEngine({})
  const options = { cwd: checkout.directory, env: { ...process.env, ...env } }
  const running = promisify(execFile)(command, [...args, "--non-interactive"], options)
  running.child.stdin?.end(randomBytes(32).toString("hex"))
  await running
}

async function served(origin = api) {
  const { headers } = await sendRequest(`${origin}/api/health`, { connectTo: cloudflare.edge })
  return headers["accounts-version"]?.[0]
}

/** @returns the cookies of the session */
async function enter(origin: string, path: string) {
  const { status, headers } = await sendRequest(`${origin}/api/auth/${path}`, {
    connectTo: cloudflare.edge,
    headers: { origin: `https://app.${zone}` },
    body: { name: "Ada", email: "ada@example.com", password: "correct horse battery" },
  })
  expect(status).toBe(200)
  return headers["set-cookie"]?.join() ?? ""
}

/** Whether that session is one, at the host to which the API has moved. */
async function isSignedIn(cookies: string) {
  const cookie = /[^ ,;]*session_token=[^;]*/.exec(cookies)?.[0] ?? ""
  const { json } = await sendRequest(`https://id.${zone}/api/auth/get-session`, {
    connectTo: cloudflare.edge,
    headers: { cookie },
  })
  return json !== null
}

test("the committed draft of staging comes up on this machine, with its own hosts and cookies", async () => {
  const { url, versionId } = await up()
  expect(url).toBe(api)
  expect(await served()).toBe(versionId)
  expect(await enter(api, "sign-up/email")).toMatch(
    /__Secure-accounts-staging\.session_token=.*Domain=accounts-staging\.accounts\.test/,
  )
})

test("what it takes to go back is tried here, and status says that it was done on purpose", async () => {
  const first = await served()
  checkout.edit("app/worker.ts", (text) => `${text}\nReflect.set(globalThis, "edition", 2)\n`)
  const { versionId } = await up()
  expect(await served()).toBe(versionId)
  const back = await staging(["release", "rollback"], "--yes")
  expect(back.code, back.stderr).toBe(0)
  expect(await served()).toBe(first)
  const { stdout, stderr } = await staging(["status"], "--json")
  expect(stderr.match(/local Cloudflare joined/g)).toHaveLength(1)
  const wrong = Findings.parse(JSON.parse(stdout)).filter(({ state }) => state === "wrong")
  expect(wrong).toMatchObject([
    { what: "release", found: expect.stringContaining(`rolled back from ${versionId}`) },
  ])
})

test("a release that failed and was undone is reported with its reason, without a step to release it again", async () => {
  const before = await served()
  const broken = `app.post("/api/auth/sign-in/email", () => new Response("", { status: 500 }))\n`
  const [place, place500] = ["app.use(readCookies)", `${broken}app.use(readCookies)`]
  checkout.edit("app/worker.ts", (text) => text.replace(place, place500))
  const { code, stderr } = await staging(["up"], "--yes")
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/was not released/) })
  expect(await served()).toBe(before)

  const { stdout } = await staging(["status"], "--json")
  const wrong = Findings.parse(JSON.parse(stdout)).filter(({ state }) => state === "wrong")
  const next = `./accounts up -s ${stack} --local`
  expect(wrong).toMatchObject([
    {
      what: "release",
      found: expect.stringMatching(
        new RegExp(`^the last release failed because .*sign-in/email.*; ${before} serves`),
      ),
      next: `fix or revert what was released, then ${next}`,
    },
  ])
  const plan = await staging(["plan"])
  expect(plan.stdout).toMatch(/^danger +! the last release failed because .*sign-in\/email/m)
  expect(plan.stdout).not.toMatch(/^drift/m)
  expect(plan.stdout).toContain(`${next} --plan `)
  checkout.edit("app/worker.ts", (text) => text.replace(place500, place))
})

test("another host is refused before anything is changed, as long as the one of now is protected", async () => {
  const before = await served()
  checkout.edit("app/worker.ts", (text) => `${text}\nReflect.set(globalThis, "edition", 3)\n`)
  checkout.edit(file, (text) => text.replaceAll("//api.", "//id."))
  const { code, stderr } = await staging(["up"], "--yes")
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/protected/) })
  expect(stderr).toContain("Nothing was changed.")
  expect(await served()).toBe(before)
  checkout.edit(file, (text) => text.replaceAll("//id.", "//api."))
})

test("the move to another host is tried here, in the two steps that it takes", async () => {
  const ask = (host: string) =>
    sendRequest(`https://${host}.${zone}/api/health`, { connectTo: cloudflare.edge })
  const unprotected = `  accounts:protectHostname: false
  accounts:accept:
    R44: the API moves to another host
`
  checkout.edit(file, (text) => `${text.trimEnd()}\n${unprotected}`)
  await up()
  expect((await ask("api")).status).toBe(200)
  checkout.edit(file, (text) => text.replaceAll("//api.", "//id."))
  const { url, versionId } = await up()
  expect(url).toBe(`https://id.${zone}`)
  expect((await ask("id")).headers["accounts-version"]).toEqual([versionId])
  expect((await ask("api")).status).toBe(404)
})

test("a rotation of the secret that the file tells of is tried here, from its first step to its last", async () => {
  const config = (...args: string[]) => pulumi(["config", ...args, "-s", stack], backend)
  await pulumi(["stack", "init", stack], backend)
  await config("set", "--secret", "--path", "accounts:secrets.AUTH_SECRET")
  await up()
  const first = await enter(`https://id.${zone}`, "sign-in/email")
  await checkout.succeed("secret", "rotate", "AUTH_SECRET", "--in", "1", "-s", stack)
  await up()
  expect(await isSignedIn(first)).toBe(true)

  // The hour has passed: the new secret signs.
  const past = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, "")
  checkout.edit(file, (text) => text.replace(/(authSecretFrom: ).*/, `$1"${past}"`))
  await up()
  const second = await enter(`https://id.${zone}`, "sign-in/email")
  expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, true])

  await config("rm", "--path", "accounts:secrets.AUTH_SECRET_PREVIOUS")
  await config("rm", "accounts:authSecretFrom")
  await up()
  expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true])
})

test("a rotation is rehearsed here alone, without a key of the stack file, from its first step to its last", async () => {
  const before = readFileSync(join(checkout.directory, file), "utf8")
  const first = await enter(`https://id.${zone}`, "sign-in/email")
  const { code, stderr } = await staging(["secret", "rotate"], "AUTH_SECRET", "--in", "1")
  expect(code, stderr).toBe(0)
  const [, added = ""] = /earlier time into (\S+)\.$/m.exec(stderr) ?? []
  await up()
  expect(await isSignedIn(first)).toBe(true)
  expect((await staging(["secret", "rotate"], "AUTH_SECRET")).stderr).toContain(`rm ${added}`)

  const past = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, "")
  const text = readFileSync(added, "utf8")
  writeFileSync(added, text.replace(/("from":")[^"]*/, `$1${past}`))
  await up()
  const second = await enter(`https://id.${zone}`, "sign-in/email")
  expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, true])

  rmSync(added)
  await up()
  expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true])
  expect(readFileSync(join(checkout.directory, file), "utf8")).toBe(before)
})

test("another name of the Worker is refused here as there, and that of the stack changes nothing", async () => {
  const before = await served(`https://id.${zone}`)
  checkout.edit(file, (text) => text.replace("name: accounts-staging", "name: accounts-live"))
  const refused = await staging(["up"], "--yes")
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain("Nothing was changed.")
  checkout.edit(file, (text) => text.replace("name: accounts-live", "name: accounts-staging"))

  const { stdout } = await checkout.succeed("local", "env", "--state", checkout.state)
  const here = [...stdout.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, key, value]) => [key, value])
  await pulumi(["stack", "rename", "live", "-s", stack], Object.fromEntries(here))
  stack = "live"
  file = "environments/Pulumi.live.yaml"
  const { code, stderr, stdout: done } = await staging(["up"], "--yes", "--json")
  expect(code, stderr).toBe(0)
  expect(Object.keys(JSON.parse(done).changes)).toEqual(["same"])
  expect(await served(`https://id.${zone}`)).toBe(before)
})

test("its protection refuses what it refuses at Cloudflare", async () => {
  const { code, stderr } = await staging(["destroy"], "--yes")
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/protect/)
})
