import { execFile } from "node:child_process"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

import Cloudflare from "cloudflare"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import type { LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { sendRequest } from "./testing/send-request.ts"
import { openPrepared, type PreparedEnvironment } from "./testing/vitest/prepared-environment.ts"
import { openWrangler } from "./testing/wrangler.ts"

const Config = z.looseObject({
  name: z.string(),
  d1_databases: z.tuple([z.looseObject({ database_id: z.string(), migrations_dir: z.string() })]),
})

const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

let checkout: Checkout
let cloudflare: LocalCloudflare
/** The outputs of the deployment. */
let deployed: PreparedEnvironment
/** Path of the file that `local wrangler-config` wrote. */
let configPath: string
let config: z.infer<typeof Config>
let wrangler: ReturnType<typeof openWrangler>

beforeAll(async () => {
  checkout = copyCheckout()
  deployed = await openPrepared(checkout)
  ;({ cloudflare } = deployed)
  await sendRequest(`${deployed.url}/api/auth/sign-up/email`, {
    headers: { origin: deployed.url },
    body: ada,
  })
  const written = await checkout.run("local", "wrangler-config", "--state", checkout.state)
  if (written.code !== 0) throw new Error(written.stderr)
  configPath = written.stdout.trim()
  config = Config.parse(JSON.parse(readFileSync(configPath, "utf8")))
  wrangler = openWrangler(cloudflare, config)
})

afterAll(async () => {
  await wrangler?.[Symbol.asyncDispose]()
  await deployed?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

test("the generated config names the deployed resources and lies with the state", () => {
  expect(configPath).toBe(join(checkout.state, "wrangler/wrangler.json"))
  expect(config).toMatchObject({
    name: deployed.worker,
    account_id: cloudflare.accountId,
    d1_databases: [
      {
        database_name: deployed.worker,
        database_id: deployed.databaseId,
        migrations_dir: join(checkout.directory, "migrations"),
      },
    ],
  })
})

test("wrangler reads the database that up created", async () => {
  const List = z.array(z.looseObject({ uuid: z.string(), name: z.string() }))
  expect(List.parse(JSON.parse(await wrangler.run("d1", "list", "--json")))).toEqual([
    expect.objectContaining({ uuid: deployed.databaseId, name: deployed.worker }),
  ])
  const command = ["--remote", "--json", "--command", "SELECT email, role FROM user"]
  expect(JSON.parse(await wrangler.run("d1", "execute", deployed.worker, ...command))).toEqual([
    expect.objectContaining({ success: true, results: [{ email: ada.email, role: "member" }] }),
  ])
})

test("wrangler finds no pending migration, and finds a new one", async () => {
  const list = () => wrangler.run("d1", "migrations", "list", deployed.worker, "--remote")
  expect(await list()).toMatch(/No migrations to apply/)

  const [database] = config.d1_databases
  const extraMigrations = join(checkout.state, "more-migrations")
  cpSync(join(checkout.directory, "migrations"), extraMigrations, { recursive: true })
  writeFileSync(join(extraMigrations, "9999_next.sql"), "SELECT 1;\n")
  wrangler.write({ d1_databases: [{ ...database, migrations_dir: extraMigrations }] })
  const pending = await list()
  wrangler.write()
  expect(pending.match(/\d{4}_\w+\.sql/g)).toEqual(["9999_next.sql"])
})

test("wrangler names the live version and its release", async () => {
  const served = (await sendRequest(`${deployed.url}/api/health`)).headers["accounts-version"]
  expect(served).toEqual([deployed.versionId])
  const Deployment = z.looseObject({
    id: z.string(),
    versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
  })
  const status = Deployment.parse(JSON.parse(await wrangler.run("deployments", "status", "--json")))
  expect(status).toMatchObject({
    id: deployed.deploymentId,
    versions: [{ version_id: deployed.versionId, percentage: 100 }],
  })
  expect(await wrangler.run("deployments", "status")).toContain(deployed.versionId)
  const versions = z
    .array(z.looseObject({ id: z.string() }))
    .parse(JSON.parse(await wrangler.run("versions", "list", "--json")))
  expect(versions.map(({ id }) => id)).toEqual([deployed.versionId])
})

test("Cloudflare's own SDK reads the same ids", async () => {
  const { d1, workers } = new Cloudflare({ baseURL: cloudflare.api, apiToken: cloudflare.token })
  const account_id = cloudflare.accountId
  const script_name = deployed.worker
  expect(await d1.database.get(deployed.databaseId, { account_id })).toMatchObject({
    uuid: deployed.databaseId,
    name: deployed.worker,
  })
  expect(
    await workers.scripts.versions.get(deployed.versionId, { account_id, script_name }),
  ).toMatchObject({ id: deployed.versionId, number: 1 })
  expect(await Array.fromAsync(workers.domains.list({ account_id }))).toEqual([
    expect.objectContaining({ hostname: "localhost", service: deployed.worker }),
  ])
})

test("the wrangler example of the README works in a shell", async () => {
  const accounts = `"$NODE" packages/tools/cli/main.js`
  const script = `
    eval "$(${accounts} local env --state "$STATE")"
    wrangler d1 execute accounts-local --remote --json \\
      --config "$(${accounts} local wrangler-config --state "$STATE")" --command 'SELECT email FROM user'`
  const { stdout } = await promisify(execFile)("sh", ["-ec", script], {
    cwd: checkout.directory,
    env: {
      ...process.env,
      NODE: process.execPath,
      STATE: checkout.state,
      CI: "1",
      NO_COLOR: "1",
      WRANGLER_SEND_METRICS: "false",
      XDG_CONFIG_HOME: join(checkout.state, "wrangler"),
    },
  })
  expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ results: [{ email: ada.email }] })])
})
