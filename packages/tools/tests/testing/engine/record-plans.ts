import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { stringify } from "yaml"

import { EngineEvent } from "../../../cli/plan/step.ts"
import { type Heading, keyOfEvent, recordings } from "../../../cli/plan/testing/recording.ts"
import { set } from "../../../environment/testing/environments-folder.ts"
import { copyCheckout } from "../checkout.ts"
import { commit } from "../commit.ts"
import { importFrom } from "../import-from.ts"
import { stagingShaped } from "../stacks/test-stacks.ts"
import { readShellValues } from "./pulumi-cli.ts"

/**
 * Records what the engine says before `up`, for one edit after another of an environment that it has
 * deployed: `node packages/tools/tests/testing/engine/record-plans.ts` writes packages/tools/cli/plan/testing/recordings/.
 * To be run again when resources change their inputs; `packages/tools/cli/plan/plan.test.ts` reads what it wrote.
 */
const environment: Record<string, string> = {}
await using checkout = copyCheckout({ environment })

function load(path: string) {
  return importFrom(checkout, path)
}

const { joinOrStart } = await load("packages/tools/cli/process/local-cloudflare.ts")
const cloudflare = await joinOrStart({ state: checkout.state, apiPort: 0, port: 0 })
await using running = new AsyncDisposableStack()
running.defer(() => cloudflare.stop())
Object.assign(environment, await readShellValues(checkout))
const backend = join(checkout.directory, ".backend")
mkdirSync(backend)
environment["PULUMI_BACKEND_URL"] = pathToFileURL(backend).href

const stackFile = "environments/Pulumi.staging.yaml"
const migrations = join(checkout.directory, "migrations")

const canary = "canary-0123456789".repeat(3)

function pulumi(args: string[], input = ""): void {
  const stack = args[1] === "init" ? [] : ["--stack", "staging"]
  execFileSync("pulumi", [...args, ...stack, "--non-interactive"], {
    cwd: checkout.directory,
    env: { ...process.env, ...environment },
    input,
    stdio: ["pipe", "ignore", "inherit"],
  })
}

function setSecret(name: string, value = canary): void {
  pulumi(["config", "set", "--secret", "--path", `accounts:secrets.${name}`], value)
}

const { "accounts:secrets": _, ...config } = stagingShaped({
  "cloudflare:baseUrl": cloudflare.api,
  "accounts:connectTo": cloudflare.edge,
  "accounts:mailUrl": "https://mail.accounts.test/send",
  "accounts:crons": ["17 * * * *"],
  "accounts:location": "weur",
})
checkout.edit(stackFile, () => stringify({ config }))
pulumi(["stack", "init", "staging"])
setSecret("AUTH_SECRET")

Object.assign(process.env, environment)
const { openByName } = await load("packages/tools/cli/stack/open-by-name.ts")
const { planEvents, up } = await load("packages/tools/cli/stack/stack.ts")
const { openDeployments } = await load("packages/tools/deploy/release/deployments.ts")
const { createApi } = await load("packages/tools/deploy/api.ts")
const options = { state: checkout.state, apiPort: 0, port: 0, engine: undefined, local: false }
const opened = await openByName("staging", options)

/** Leaves out what no plan reads, and what is the same as before any edit. */
const unchanged = new Map<string, string>()
function thin(events: unknown[]): unknown[] {
  return events
    .map((event) => EngineEvent.parse(event))
    .filter(({ resourcePreEvent: planned, resOutputsEvent: done, summaryEvent }) =>
      planned ? planned.metadata.op !== "refresh" : done?.metadata.op === "refresh" || summaryEvent,
    )
}

async function record(name: string, operation = {}): Promise<void> {
  const events = thin(await planEvents(opened.stack, operation))
  const base = name === "nothing"
  if (base) for (const event of events) unchanged.set(keyOfEvent(event), JSON.stringify(event))
  const recorded = events.filter(
    (event) => base || unchanged.get(keyOfEvent(event)) !== JSON.stringify(event),
  )
  const sameKeys = events
    .filter((event) => !recorded.includes(event))
    .map((event) => keyOfEvent(event))
  const api = createApi({ baseUrl: cloudflare.api, token: cloudflare.token })
  const place = { accountId: cloudflare.accountId, scriptName: "accounts-staging" }
  const live: Heading["live"] = (await openDeployments({ api, ...place }).live()) ?? null
  const added = readdirSync(migrations)
    .filter((file) => file.endsWith("_edit.sql"))
    .map((file) => ({ name: file, sql: readFileSync(join(migrations, file), "utf8") }))
  const heading: Heading = { same: sameKeys, live, added }
  const lines = [heading, ...recorded].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(join(recordings, `${name}.ndjson`), lines.join(""))
  process.stderr.write(`recorded ${name}: ${recorded.length} events of its own\n`)
}

async function recordEdit(name: string, change: () => void, operation = {}): Promise<void> {
  change()
  await record(name, operation)
  execFileSync("git", ["checkout", "--quiet", "."], { cwd: checkout.directory })
  execFileSync("git", ["clean", "--quiet", "-fd"], { cwd: checkout.directory })
}

function edit(key: string, value: unknown) {
  return () => checkout.edit(stackFile, set(key, value))
}

const count = readdirSync(migrations).filter((file) => file.endsWith(".sql")).length
const edited = join(migrations, `${String(count).padStart(4, "0")}_edit.sql`)

function migrate(sql: string) {
  return () => writeFileSync(edited, sql)
}

mkdirSync(recordings, { recursive: true })
writeFileSync(join(checkout.directory, ".gitignore"), ".backend\nnode_modules\n.local/\n.build/\n")
commit(checkout.directory, "Fill in staging")
await record("first-deployment")
await up(opened.stack)
await record("nothing")
await recordEdit("host", () =>
  checkout.edit(stackFile, (text) => text.replaceAll("//api.", "//auth.")),
)
await recordEdit("cookie-domain", edit("cookieDomain", undefined))
await recordEdit("origin", () =>
  checkout.edit(stackFile, (text) =>
    text.replace(
      /( *)- (.*app\.staging\.accounts\.test)/,
      "$&\n$1- https://admin.staging.accounts.test",
    ),
  ),
)
await recordEdit("binding", edit("mailFrom", "no-reply@accounts.test"))
await recordEdit("secret-added", () => setSecret("MAIL_SECRET"))
await recordEdit("secret-changed", () =>
  setSecret("AUTH_SECRET", "canary-of-another-value-".repeat(2)),
)
await recordEdit("secret-sealed-anew", () => setSecret("AUTH_SECRET"))
await recordEdit("cron", edit("crons", ["5 4 * * *"]))
await recordEdit("protection", edit("protect", true))
await recordEdit("migration-that-expands", migrate("CREATE TABLE note (id TEXT PRIMARY KEY);\n"))
await recordEdit(
  "migration-that-destroys",
  migrate(
    "-- accounts:loses journal_entry, all rows: journals start empty\nDELETE FROM journal_entry;\n",
  ),
)
await recordEdit("dependency", () =>
  checkout.edit("app/worker.ts", (text) => `${text}\nReflect.set(globalThis, "edition", 2)\n`),
)
const crons = `${cloudflare.api}/accounts/${cloudflare.accountId}/workers/scripts/accounts-staging/schedules`
await fetch(crons, {
  method: "PUT",
  headers: { authorization: `Bearer ${cloudflare.token}`, "content-type": "application/json" },
  body: JSON.stringify([{ cron: "0 0 * * *" }]),
})
await record("drift")
process.exit()
