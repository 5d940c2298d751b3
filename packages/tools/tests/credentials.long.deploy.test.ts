import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

import { callLocal } from "@accounts-stack/local/cloudflare/testing/call-local"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { findEngine } from "../cli/engine/engine.ts"
import { readIfExists } from "../cli/process/is-alive.ts"
import { findRunning, type LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { copyCheckout, type Checkout, type Run } from "./testing/checkout.ts"
import { git } from "./testing/commit.ts"
import { openPulumiCli, readShellValues } from "./testing/engine/pulumi-cli.ts"
import { expectNoLeak } from "./testing/secrets/secret-forms.ts"
import { sendRequest } from "./testing/send-request.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const canary = "canary-7f3a91c2-of-a-real-account"

/** A caller's environment with every kind of Cloudflare credentials. */
const caller = {
  CLOUDFLARE_API_TOKEN: canary,
  CLOUDFLARE_API_KEY: canary,
  CLOUDFLARE_API_USER_SERVICE_KEY: canary,
  CLOUDFLARE_EMAIL: `${canary}@example.com`,
  CLOUDFLARE_ACCOUNT_ID: canary,
  CLOUDFLARE_API_BASE_URL: `https://${canary}.example.com`,
  CF_API_TOKEN: canary,
}

const Status = z.looseObject({ processes: z.array(z.object({ pid: z.number() })) })

let checkout: Checkout
/** Outcome of each command that the caller ran. */
const runs: Record<string, Run> = {}
let started: StartProcess
let cloudflare: LocalCloudflare

beforeAll(async () => {
  checkout = copyCheckout({ environment: caller })
  const ports = ["--port", "0", "--api-port", "0"]
  await run("start", "--once", ...ports)
  started = await followStart(checkout.spawn("start", "--state", checkout.state, ...ports))
  const running = await findRunning(checkout.state)
  if (!running) throw new Error("start is ready, but no local Cloudflare is running")
  cloudflare = running
  git(checkout.directory, "symbolic-ref", "HEAD", "refs/heads/canary")
  await run("branch", "up", "canary", "--local")
  await run("local", "env")
  await run("local", "env", "--json")
})

afterAll(async () => {
  await started?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

async function run(...args: string[]): Promise<void> {
  const outcome = await checkout.run(...args, "--state", checkout.state)
  if (outcome.code !== 0) throw new Error(outcome.stderr)
  runs[args.filter((arg) => /^-?-?[a-z-]+$/.test(arg)).join(" ")] = outcome
}

test("no command prints the caller's credentials", () => {
  const printed = Object.values(runs).map(({ stdout, stderr }) => stdout + stderr)
  for (const text of [...printed, started.stdout() + started.stderr()]) {
    expect(text).not.toBe("")
    expectNoLeak(text, { canary })
  }
})

test("no file in the state directory contains the caller's credentials", () => {
  const files = readdirSync(checkout.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  // SQLite of the running Cloudflare may delete a file after the listing.
  const holding = (text: string) => files.filter((file) => readIfExists(file)?.includes(text))
  // The search finds known content, so it would find the credentials too.
  expect(holding("accounts-preview-canary").length).toBeGreaterThan(0)
  expect(holding(cloudflare.token)).toEqual([join(checkout.state, "cloudflare", "token")])
  expect(holding(canary)).toEqual([])
})

test.runIf(process.platform === "linux")(
  "no process of the local Cloudflare inherits the caller's credentials",
  async () => {
    const { processes } = Status.parse(await callLocal(cloudflare, "/local/status"))
    expect(processes.length).toBeGreaterThan(0)
    for (const { pid } of [{ pid: cloudflare.pid }, ...processes]) {
      expect(readFileSync(`/proc/${pid}/environ`, "latin1")).not.toContain(canary)
    }
  },
)

test("no command sent the caller's credentials; requests that carry them are rejected and logged", async () => {
  expect(apiCalls().length).toBeGreaterThan(20)
  expect(apiCalls().filter(refused)).toEqual([])

  const url = `${cloudflare.api}/accounts/${cloudflare.accountId}/d1/database`
  const byToken = await sendRequest(url, { headers: { authorization: `Bearer ${canary}` } })
  const byKey = await sendRequest(url, {
    headers: { "x-auth-email": caller.CLOUDFLARE_EMAIL, "x-auth-key": canary },
  })
  expect([byToken.status, byKey.status]).toEqual([403, 400])
  expect(apiCalls().filter(refused)).toHaveLength(2)
  expectNoLeak(byToken.text + byKey.text + readFileSync(journal(), "utf8"), { canary })
})

test("local env, evaluated by sh, sets the local values and unsets the caller's", async () => {
  const environment = await evaluated("env")
  expectNoLeak(environment, { canary })
  const values = Object.fromEntries(
    environment.split("\n").map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]),
  )
  expect(values).toMatchObject({
    CLOUDFLARE_API_BASE_URL: cloudflare.api,
    CLOUDFLARE_API_TOKEN: cloudflare.token,
    CLOUDFLARE_ACCOUNT_ID: cloudflare.accountId,
  })
  for (const name of ["CLOUDFLARE_API_KEY", "CLOUDFLARE_EMAIL", "CF_API_TOKEN"]) {
    expect(values).not.toHaveProperty(name)
  }
})

test("after local env, the engine on PATH reads the stack and the token opens the API", async () => {
  const outputs = JSON.parse(
    await evaluated('pulumi stack output --json -s local -C "$ACCOUNTS_PROJECT"'),
  )
  expect(outputs).toMatchObject({ worker: "accounts-local", url: started.url })
  const databases: unknown = JSON.parse(
    await evaluated(`node --input-type=module -e '${listDatabases}'`),
  )
  expect(databases).toMatchObject({
    status: 200,
    body: {
      result: expect.arrayContaining([
        expect.objectContaining({ uuid: outputs.databaseId, name: "accounts-local" }),
      ]),
    },
  })
})

test("local env --json prints the same values as one JSON document", async () => {
  const values = await readShellValues(checkout)
  expect(runs["local env --json"]?.stdout).toBe(`${JSON.stringify(values)}\n`)
  const lines = runs["local env"]?.stdout ?? ""
  for (const [name, value] of Object.entries(values)) {
    expect(lines).toContain(`export ${name}='${value}'`)
  }
})

/** Runs the program for the ordinary CLI. It is part of Pulumi's download and cannot be built here. */
const host = "pulumi-language-nodejs"
const engine = await findEngine({})
// With `local env` the engine ignores plugins on PATH, so only its own directory counts.
const missing = existsSync(join(dirname(realpathSync(engine.command)), host))
  ? ""
  : ` skipped: ${host} is not beside the engine`

test.skipIf(missing)(
  `[language host] a preview by the ordinary CLI finds no changes${missing}`,
  async () => {
    const pulumi = await openPulumiCli(checkout)
    expect(await pulumi("preview", "-s", "local", "--expect-no-changes")).toMatch(/unchanged/)
  },
)

const Call = z.looseObject({ event: z.string(), error: z.string().default("") })

/** Requests to the API that the local Cloudflare has logged. */
function apiCalls() {
  return readFileSync(journal(), "utf8")
    .trim()
    .split("\n")
    .map((line) => Call.parse(JSON.parse(line)))
    .filter(({ event }) => event === "api")
}

/** Whether the API rejected the credentials of a call. */
function refused({ error }: z.infer<typeof Call>) {
  return /^(?:Missing X-Auth-Key|Invalid request headers|Invalid access token)/.test(error)
}

function journal() {
  return join(checkout.state, "cloudflare", "log.ndjson")
}

/** Does what `curl -H "Authorization: Bearer $CLOUDFLARE_API_TOKEN"` does, without curl. */
const listDatabases = `
  const { CLOUDFLARE_API_BASE_URL: api, CLOUDFLARE_ACCOUNT_ID: id, CLOUDFLARE_API_TOKEN: token } = process.env
  const response = await fetch(api + "/accounts/" + id + "/d1/database", { headers: { authorization: "Bearer " + token } })
  process.stdout.write(JSON.stringify({ status: response.status, body: await response.json() }))`

/** Output of a command in the caller's shell after it has evaluated `local env`. */
async function evaluated(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    "sh",
    ["-ec", `eval "$LINES"; unset LINES; ${command}`],
    { env: { ...process.env, ...caller, LINES: runs["local env"]?.stdout } },
  )
  return stdout
}
