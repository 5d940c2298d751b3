import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, expect, test } from "vitest"

import { providerVersion } from "../cli/engine/engine-environment.ts"
import type { Checkout } from "./testing/checkout.ts"
import { copyWorkingTree, readRecipe } from "./testing/recipe.ts"
import { sendRequest } from "./testing/send-request.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const imports = `
import { Queue } from "@pulumi/cloudflare/queue.js"
import { WorkersKvNamespace } from "@pulumi/cloudflare/workersKvNamespace.js"
`

const resources = `
  const pairs = new WorkersKvNamespace("pairs", { accountId, title: \`\${name}-pairs\` })
  const jobs = new Queue("jobs", { accountId, queueName: \`\${name}-jobs\` })
  const bindings = {
    FILES: { bucket_name: files.name },
    PAIRS: { namespace_id: pairs.id },
    JOBS: { queue_name: jobs.queueName },
    OTHER: { service: "another-worker" },
  }
`

const declarations = `
  PAIRS: { type: "kv_namespace", required: "always", summary: "What is looked up often." },
  JOBS: { type: "queue", required: "always", summary: "What is done later." },
  OTHER: { type: "service", required: "always", summary: "Another Worker." },
`

const route = `
app.get("/api/visits", async ({ env: { FILES, JOBS, OTHER, PAIRS }, json }) => {
  const visits = Number(await PAIRS.get("visits")) + 1
  await PAIRS.put("visits", String(visits))
  await FILES.put("visits.txt", String(visits))
  await JOBS.send({ visits })
  const asked = Promise.try(() => OTHER.fetch("https://other/").then((answer) => answer.text()))
  const other = await asked.catch((error: Error) => error.message)
  return json({ visits, file: await (await FILES.get("visits.txt"))?.text(), other })
})
`

const environment: Record<string, string> = { ACCOUNTS_PROVIDER: "stand-in" }

/** The tests are one journey: each continues with the environment that the previous one left. */
let checkout: Checkout
let start: StartProcess
/** The output of a run that had created the recipe's bucket when it failed. */
let firstOutput: string

beforeAll(async () => {
  const copy = copyWorkingTree({ environment })
  checkout = copy
  await copy.follow(readRecipe("docs/changing.md", "A Cloudflare resource"))
  await copy.follow("npx tsc -p .")
  checkout.edit("app/bindings.ts", (text) =>
    text.replace(/(?<=export const bindings = \{)/, declarations),
  )
  checkout.edit("app/worker.ts", (text) => text.replace("app.notFound(", `${route}\napp.notFound(`))
})

afterAll(async () => {
  await start?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

function onThisMachine() {
  return ["--state", checkout.state, "--port", "0", "--api-port", "0"]
}

test("a declared binding that the program does not give is one plain error", async () => {
  await checkout.succeed("environment", "render")
  const run = await checkout.run("start", "--once", ...onThisMachine())
  firstOutput = run.stderr
  expect(run.code).toBe(1)
  expect(firstOutput).toContain(
    "infra/index.ts gives Service no binding PAIRS (kv_namespace), as app/bindings.ts declares it",
  )
  expect(firstOutput).not.toMatch(/^\s+at /m)
})

test("resources and bindings of unknown types are deployed, and used where they run", async () => {
  checkout.edit("infra/index.ts", (text) =>
    `${imports}${text}`.replace(/^ {2}const bindings = .*\n/m, resources),
  )
  start = await followStart(checkout.spawn("start", ...onThisMachine()))
  for (const visits of [1, 2]) {
    expect((await sendRequest(`${start.url}/api/visits`)).json).toEqual({
      visits,
      file: String(visits),
      other: "OTHER (service) does not run here: every call to it throws an error",
    })
  }
  const output = firstOutput + start.stderr()
  for (const [name, type] of [
    ["files", "r2Bucket:R2Bucket"],
    ["pairs", "workersKvNamespace:WorkersKvNamespace"],
    ["jobs", "queue:Queue"],
  ]) {
    const warning = `${name}: the stand-in for Cloudflare's provider makes no cloudflare:index/${type},`
    expect(output.split(warning)).toHaveLength(2)
  }
  expect(output).toContain("binding JOBS (queue) takes messages, but has no consumer here")
  expect(output).toContain("binding OTHER (service) does not run here")
})

test("another deployment changes nothing, a plan and a review name the bindings by their kind", async () => {
  const run = await checkout.succeed("start", "--once", ...onThisMachine())
  expect(run.stderr).toContain("0 changes, ")
  checkout.edit("infra/index.ts", (text) => text.replace("another-worker", "a-third-worker"))
  const plan = await checkout.succeed("plan", "-s", "local", ...onThisMachine())
  expect(plan.stdout).toContain("service a-third-worker")
  const git = (...args: string[]) => execFileSync("git", args, { cwd: checkout.directory })
  git("commit", "--quiet", "--all", "--message", "Bind more")
  const review = await checkout.run("review", "--base", "HEAD~1")
  expect(review.stdout).toMatch(/FILES.*r2_bucket/)
})

test("Cloudflare's own provider is refused what the stand-in has recorded, before anything is emptied", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "accounts-home-"))
  const plugin = join(home.path, `plugins/resource-cloudflare-v${providerVersion}`)
  mkdirSync(plugin, { recursive: true })
  writeFileSync(join(plugin, "pulumi-resource-cloudflare"), "never started")
  const visits = async () => (await sendRequest(`${start.url}/api/visits`)).json
  expect(await visits()).toMatchObject({ visits: 3 })
  Object.assign(environment, { ACCOUNTS_PROVIDER: "official", PULUMI_HOME: home.path })
  for (const command of [
    ["start", "--once", "--fresh"],
    ["destroy", "-s", "local", "--yes"],
    ["plan", "-s", "local"],
  ]) {
    const refused = await checkout.run(...command, ...onThisMachine())
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("records of the stand-in")
    expect(refused.stderr).toContain("WorkersKvNamespace::pairs")
    expect(refused.stderr).toContain(
      "Nothing was changed. Go on with the stand-in: ACCOUNTS_PROVIDER=stand-in.",
    )
    expect(refused.stderr).toMatch(/pulumi state delete --yes -s local 'urn:.*Queue::jobs'/)
    expect(refused.stderr).not.toContain("D1Database")
    expect(refused.stderr).not.toContain("emptied")
  }
  expect(await visits()).toMatchObject({ visits: 4 })
  Object.assign(environment, { ACCOUNTS_PROVIDER: "stand-in" })
})

test("all of it is destroyed with its environment", async () => {
  const destroyed = await checkout.succeed("destroy", "-s", "local", "--yes", ...onThisMachine())
  expect(destroyed.stderr).toMatch(/R2Bucket|files/)
})
