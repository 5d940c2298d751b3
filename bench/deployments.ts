import { copyFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { compatibilityDate, compatibilityFlags } from "../app/service/build/runtime.ts"
import { markdownTable } from "../infra/markdown-table.ts"
import { copyCheckout, type Checkout } from "../tests/testing/checkout.ts"
import { sendRequest } from "../tests/testing/send-request.ts"
import { openWrangler } from "../tests/testing/wrangler.ts"
import { describe, median, sideBySide, time } from "./measure.ts"
import { publish, say, startFacts } from "./report.ts"

type BenchOptions = { rounds: number; write?: boolean }

/** Compares deployments with wrangler's, on one local Cloudflare. */
export async function benchDeployments({ rounds, write }: BenchOptions): Promise<void> {
  const factsUntilNow = startFacts()
  await using checkout = copyCheckout()
  /** Wrangler's own copy, so that its edits do not change what `up` deploys. */
  await using other = copyCheckout()
  for (const copy of [checkout, other]) {
    edit(copy, "first")
    copy.edit(
      "app/worker.ts",
      (content) =>
        `import { edition } from "./edition.ts"\n${content}\nReflect.set(globalThis, "edition", edition)\n`,
    )
  }
  copyBinaryFiles(other)

  const start = () => checkout.succeed("start", "--once", "--state", checkout.state)
  say("from start to ready, with a new state directory")
  const coldStart = await time(() =>
    checkout.succeed(
      "start",
      "--once",
      "--state",
      checkout.state,
      "--port",
      "0",
      "--api-port",
      "0",
    ),
  )

  const stacks = join(checkout.directory, "cli/stack")
  const { openLocalStack } = await import(join(stacks, "local-stack.ts"))
  const stack = await import(join(stacks, "stack.ts"))
  const ports = { apiPort: 0, port: 0 }
  const options = { state: checkout.state, ...ports, engine: undefined }
  await using local = await openLocalStack(options)
  await stack.up(local.stack)
  const outputs = await local.stack.outputs()
  await using wrangler = openWrangler(local.cloudflare, {
    name: "wrangler-bench",
    main: join(other.directory, "app", "worker.ts"),
    compatibility_date: compatibilityDate,
    compatibility_flags: compatibilityFlags,
    define: { MIGRATIONS_HEAD: '"0000_accounts.sql"' },
    version_metadata: { binding: "VERSION" },
    vars: { ENVIRONMENT: "local" },
    d1_databases: [
      {
        binding: "DB",
        database_name: "accounts-local",
        database_id: outputs["databaseId"].value,
        migrations_dir: join(checkout.directory, "migrations"),
      },
    ],
  })

  say(`${rounds} rounds of each, side by side`)
  const samples = await sideBySide(rounds, {
    "wrangler deploy, code changed": async (round) => {
      edit(other, `wrangler-${round}`)
      await wrangler.run("deploy")
    },
    "up, nothing changed": () => stack.up(local.stack),
    "up, code changed": async (round) => {
      edit(checkout, `up-${round}`)
      await stack.up(local.stack)
    },
    "start --once, nothing changed (whole process)": start,
    "start --once, code changed (whole process)": async (round) => {
      edit(checkout, `start-${round}`)
      await start()
    },
  })
  const watched = await measureWatch(checkout, String(outputs["url"].value), rounds)
  samples.set("edit to live while start watches", watched)
  samples.set("start to ready, once, with a new state directory", [coldStart])
  const unit = median(samples.get("wrangler deploy, code changed") ?? [])
  const table = markdownTable(
    ["deployment", "seconds", "of one wrangler deploy"],
    [...samples].map(([name, sample]) => [
      name,
      describe(sample.map((milliseconds) => milliseconds / 1000)),
      (median(sample) / unit).toFixed(2),
    ]),
  )
  const measured = `${factsUntilNow()}; rounds: ${rounds}.\n\n${table}`
  publish({ part: "deployments", measured, write })
}

function edit(copy: Checkout, edition: string): void {
  copy.write("app/edition.ts", `export const edition = "${edition}-${process.pid}"\n`)
}

/** Wrangler looks for a file named `X.bin`; the deployment reads `X.bin` as the file X. */
function copyBinaryFiles(copy: Checkout): void {
  const routes = "app/service/openapi/openapi-routes.ts"
  const { resolve } = createRequire(join(copy.directory, routes))
  copy.edit(routes, (content) =>
    content.replaceAll(/import\("(.+)\.bin"\)/g, (_, file: string) => {
      const name = `${basename(file)}.bin`
      copyFileSync(resolve(file), join(copy.directory, "app", "openapi", name))
      return `import("./${name}")`
    }),
  )
}

/** Milliseconds from saving a file to the first answer of the version built from it. */
async function measureWatch(copy: Checkout, service: string, rounds: number): Promise<number[]> {
  const child = copy.spawn("start", "--state", copy.state)
  // It writes a line for each request; a full pipe would stop it.
  child.stderr?.resume()
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on("data", (chunk: Buffer) => {
        if (/^ready /m.test(chunk.toString())) resolve()
      })
      child.once("exit", (code) => reject(new Error(`start exited with ${code}`)))
    })
    const sample: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      // It begins to watch after it is ready, and waits for an edit to be complete.
      await sleep(3_000)
      const before = await version(service)
      edit(copy, `watch-${round}`)
      sample.push(
        await time(async () => {
          while ((await version(service)) === before) await sleep(25)
        }),
      )
    }
    return sample
  } finally {
    child.kill("SIGTERM")
  }
}

async function version(service: string): Promise<string | undefined> {
  return (await sendRequest(`${service}/api/health`)).headers["accounts-version"]?.[0]
}
