import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import type { LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { importFrom } from "./testing/import-from.ts"
import { sendRequest } from "./testing/send-request.ts"

const api = "https://api.staging.accounts.test"
const file = "environments/Pulumi.staging.yaml"
const Outputs = z.object({ outputs: z.object({ url: z.string(), versionId: z.string() }) })
const Findings = z.array(z.object({ what: z.string(), state: z.string(), found: z.string() }))

/** One journey of an operator before there is an account: each test continues where the one before ended. */
let checkout: Checkout
let cloudflare: LocalCloudflare

beforeAll(async () => {
  checkout = copyCheckout()
  const { joinOrStart } = await importFrom(checkout, "cli/process/local-cloudflare.ts")
  cloudflare = await joinOrStart({ state: checkout.state, apiPort: 0, port: 0 })
})

afterAll(async () => {
  await cloudflare?.stop()
  await checkout?.[Symbol.asyncDispose]()
})

function staging(command: string[], ...flags: string[]) {
  return checkout.run(...command, "-s", "staging", "--local", "--state", checkout.state, ...flags)
}

async function up() {
  const { code, stdout, stderr } = await staging(["up"], "--yes", "--json")
  expect(code, stderr).toBe(0)
  return Outputs.parse(JSON.parse(stdout)).outputs
}

async function served() {
  const { headers } = await sendRequest(`${api}/api/health`, { connectTo: cloudflare.edge })
  return headers["accounts-version"]?.[0]
}

test("the committed draft of staging comes up on this machine, with its own hosts and cookies", async () => {
  const { url, versionId } = await up()
  expect(url).toBe(api)
  expect(await served()).toBe(versionId)
  const { status, headers } = await sendRequest(`${api}/api/auth/sign-up/email`, {
    connectTo: cloudflare.edge,
    headers: { origin: "https://app.staging.accounts.test" },
    body: { name: "Ada", email: "ada@example.com", password: "correct horse battery" },
  })
  expect(status).toBe(200)
  expect(headers["set-cookie"]?.join()).toMatch(
    /__Secure-accounts-staging\.session_token=.*Domain=staging\.accounts\.test/,
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
  const asked = (host: string) =>
    sendRequest(`https://${host}.staging.accounts.test/api/health`, { connectTo: cloudflare.edge })
  const unprotected = `  accounts:protectHostname: false
  accounts:accept:
    R44: the API moves to another host
`
  checkout.edit(file, (text) => `${text.trimEnd()}\n${unprotected}`)
  await up()
  expect((await asked("api")).status).toBe(200)
  checkout.edit(file, (text) => text.replaceAll("//api.", "//id."))
  const { url, versionId } = await up()
  expect(url).toBe("https://id.staging.accounts.test")
  expect((await asked("id")).headers["accounts-version"]).toEqual([versionId])
  expect((await asked("api")).status).toBe(404)
})

test("its protection refuses what it refuses at Cloudflare", async () => {
  const { code, stderr } = await staging(["destroy"], "--yes")
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/protect/)
})
