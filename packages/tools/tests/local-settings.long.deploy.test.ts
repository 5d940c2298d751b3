import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { afterAll, beforeAll, expect, test } from "vitest"

import { findSandbox } from "../cli/process/sandbox.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }
const file = "environments/Pulumi.local.yaml"

/** The tests are one journey: each continues with the environment that the previous one left. */
let checkout: Checkout
let start: StartProcess

beforeAll(async () => {
  checkout = copyCheckout()
  const flags = ["--state", checkout.state, "--port", "0", "--api-port", "0"]
  start = await followStart(checkout.spawn("start", ...flags))
})

afterAll(async () => {
  await start?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

/** Waits until the next edit is deployed. */
async function deployed() {
  await start.waitForOutput(/↻ /)
  await start.waitForOutput(/✓ .* in \d/)
}

/** Sends a request as the web front end does. */
function post(path: string, body: unknown) {
  return sendRequest(start.url + path, { headers: { origin: start.url }, body })
}

test("the API's host is renamed to one below localhost and back; what is trusted follows its port", async () => {
  await post("/api/auth/sign-up/email", ada)
  const original = readFileSync(join(checkout.directory, file), "utf8")
  const [host, page] = ["http://acc.localhost", "http://app.acc.localhost:5173"]
  const edited = original
    .replace(/accounts:apiOrigin: .*/, `accounts:apiOrigin: ${host}:8787`)
    .replace(/accounts:webOrigin: .*/, `accounts:webOrigin: ${page}`)
  checkout.write(file, `${edited}  accounts:trustedOrigins: ["${page}", "${host}:8787"]\n`)
  await deployed()
  const { port } = new URL(start.url)
  const enter = (origin: string) =>
    sendRequest(`${host}:${port}/api/auth/sign-in/email`, {
      connectTo: `http://127.0.0.1:${port}`,
      headers: { origin },
      body: { email: ada.email, password: ada.password },
    })
  expect(await enter(`${host}:${port}`)).toMatchObject({ status: 200 })
  expect(await enter(`${host}:8787`)).toMatchObject({ status: 403 })
  checkout.write(file, original)
  await deployed()
  expect(await sendRequest(`${start.url}/api/health`)).toMatchObject({ status: 200 })
})

test("what is protected stays, and a host is renamed in two steps, as the refusal says", async () => {
  const original = readFileSync(join(checkout.directory, file), "utf8")
  const guarded = original.replace("config:\n", "config:\n  accounts:protect: true\n")
  const open = guarded.replace(/protect: true\n/, "$&  accounts:protectHostname: false\n")
  const rename = (text: string) =>
    text
      .replace(/accounts:apiOrigin: .*/, "accounts:apiOrigin: http://acc.localhost:8787")
      .replace(/accounts:webOrigin: .*/, "accounts:webOrigin: http://app.acc.localhost:5173")
  checkout.write(file, guarded)
  await deployed()
  checkout.write(file, rename(guarded))
  const refused =
    /accounts:protectHostname: false, run `up` with apiOrigin as it was, and then with the new one/
  await start.waitForOutput(refused)
  // The new host exists by now, protected too.
  checkout.write(file, open)
  await start.waitForOutput(refused)
  for (const text of [rename(open), original]) {
    checkout.write(file, text)
    await deployed()
  }
  expect(await sendRequest(`${start.url}/api/health`)).toMatchObject({ status: 200 })
})

/** As docs/operating.md says. */
async function seal(name: string): Promise<void> {
  const { stdout } = await checkout.succeed("local", "env", "--state", checkout.state)
  const command = `eval "$ENVIRONMENT"; openssl rand -hex 32 | pulumi config set -s local --secret --path accounts:secrets.${name}`
  execFileSync("bash", ["-c", command], {
    cwd: checkout.directory,
    env: { ...process.env, ENVIRONMENT: stdout },
  })
}

test("what the stack file names besides the sandboxes is called, with a secret sealed for this machine", async () => {
  const requests: string[] = []
  await using ownService = await serve((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.end("{}")
  })
  checkout.edit(file, (text) =>
    text
      .replace(/accounts:mailUrl: .*/, `accounts:mailUrl: ${ownService.url}/send`)
      .replace("    idp:\n", `    staff:\n      issuer: ${ownService.url}\n      clientId: x\n$&`),
  )
  await start.waitForOutput(
    /no secret IDP_STAFF_CLIENT_SECRET[^]*pulumi config set -s local --secret --path accounts:secrets\.IDP_STAFF/,
  )
  await seal("IDP_STAFF_CLIENT_SECRET")
  await deployed()

  const carol = { ...ada, name: "Carol", email: "carol@example.com" }
  const { status, ...signedUp } = await post("/api/auth/sign-up/email", carol)
  expect(status).toBe(200)
  await expect.poll(() => requests, { timeout: 60_000, interval: 100 }).toContain("POST /send")
  const enter = (name: string) => sendRequest(`${start.url}/api/auth/sign-in/${name}`)
  await enter("staff")
  expect(requests).toContain("GET /.well-known/openid-configuration")
  const sandbox = await findSandbox("openid", checkout.state)
  const { headers } = await enter("idp")
  expect(headers["location"]?.[0]).toContain(sandbox?.url)

  // So a rotation can be tried: what the first secret signed outlives it.
  const auth = ["AUTH_SECRET", "-s", "local", "--state", checkout.state]
  await seal("AUTH_SECRET")
  await deployed()
  const { email, password } = carol
  const cookie = cookieHeader(await post("/api/auth/sign-in/email", { email, password }))
  await checkout.succeed("secret", "rotate", ...auth)
  await deployed()
  const session = await sendRequest(`${start.url}/api/auth/get-session`, { headers: { cookie } })
  expect(session.json).toMatchObject({ user: { email } })
  const httpResponse = await sendRequest(`${start.url}/api/auth/get-session`, {
    headers: { cookie: cookieHeader({ status, ...signedUp }) },
  })
  expect(httpResponse.json).toBeNull()
})

test("a first deployment that fails leaves what served before, and the next save is deployed", async () => {
  process.kill(start.pid, "SIGTERM")
  expect(await start.exitCode).toBe(0)
  const { port } = new URL(start.url)
  const original = readFileSync(join(checkout.directory, file), "utf8")
  checkout.write(file, original.replace("location: weur", "location: enam"))
  const flags = ["--state", checkout.state, "--port", port, "--api-port", "0"]
  const child = checkout.spawn("start", ...flags)
  let printed = ""
  child.stderr?.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/✗ local was not updated[^]*Fix it/)
  expect(await sendRequest(`${start.url}/api/health`)).toMatchObject({ status: 200 })
  checkout.write(file, original)
  start = await followStart(child)
  expect(await sendRequest(`${start.url}/api/health`)).toMatchObject({ status: 200 })
})

test("what was deployed at other ports is deleted", async () => {
  process.kill(start.pid, "SIGTERM")
  expect(await start.exitCode).toBe(0)
  const place = ["-s", "local", "--state", checkout.state, "--port", "0", "--api-port", "0"]
  const { stderr } = await checkout.succeed("destroy", "--yes", ...place)
  expect(stderr).toMatch(/- Worker accounts deleted/)
})
