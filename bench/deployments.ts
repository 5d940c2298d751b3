import { copyFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, join } from "node:path"

import * as z from "zod"

import { compatibilityDate, compatibilityFlags } from "../app/runtime.ts"
import { copyCheckout, type Checkout } from "../tests/testing/checkout.ts"
import { sendRequest } from "../tests/testing/send-request.ts"
import { openWrangler } from "../tests/testing/wrangler.ts"
import { median, sideBySide, time } from "./measure.ts"

const Status = z.object({
  processes: z.array(z.object({ name: z.string(), residentBytes: z.number() })),
})

function say(line: string) {
  return process.stderr.write(`${line}\n`)
}
function print(line: string) {
  return process.stdout.write(`${line}\n`)
}

/** Compares deployments with wrangler's, on one local Cloudflare. */
export async function benchDeployments(rounds: number): Promise<void> {
  await using checkout = copyCheckout()
  /** Wrangler's own copy, so that its edits do not change what `up` deploys. */
  await using other = copyCheckout()
  for (const copy of [checkout, other]) {
    edit(copy, "first", 0)
    copy.edit(
      "app/worker.ts",
      (content) =>
        `import { edition } from "./edition.ts"\n${content}\nReflect.set(globalThis, "edition", edition)\n`,
    )
  }

  copyBinaryFiles(other)

  say("from start to ready, with a new state directory")
  const coldStart = await time(async () => {
    const { code, stderr } = await checkout.run(
      "start",
      "--once",
      "--state",
      checkout.state,
      "--port",
      "0",
      "--api-port",
      "0",
    )
    if (code !== 0) throw new Error(stderr)
  })

  const stacks = join(checkout.directory, "cli/stack")
  const { openLocalStack } = await import(join(stacks, "local-stack.ts"))
  const stack = await import(join(stacks, "stack.ts"))
  await using local = await openLocalStack({
    state: checkout.state,
    apiPort: 0,
    port: 0,
    engine: undefined,
  })
  await stack.up(local.stack)
  const outputs = await local.stack.outputs()
  const url = String(outputs["url"].value)

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
      edit(other, "wrangler", round)
      await wrangler.run("deploy")
    },
    "wrangler d1 migrations apply, none pending": () =>
      wrangler.run("d1", "migrations", "apply", "DB", "--remote"),
    "up, nothing changed": () => stack.up(local.stack),
    "up, code changed": async (round) => {
      edit(checkout, "up", round)
      await stack.up(local.stack)
    },
    "start --once, nothing changed (whole process)": () => start(checkout),
    "start --once, code changed (whole process)": async (round) => {
      edit(checkout, "start", round)
      await start(checkout)
    },
  })

  const watched = await measureWatch(checkout, { service: url, rounds })
  const unit = median(samples.get("wrangler deploy, code changed") ?? [])
  print("| deployment | median | of one wrangler deploy |\n| --- | --- | --- |")
  const row = (name: string, milliseconds: number) =>
    print(
      `| ${name} | ${(milliseconds / 1000).toFixed(2)} s | ${(milliseconds / unit).toFixed(2)} |`,
    )
  row("start to ready, new state directory", coldStart)
  for (const [name, sample] of samples) row(name, median(sample))
  row("edit to live while start watches", median(watched))

  const status = await fetch(new URL("/local/status", local.cloudflare.api), {
    headers: { authorization: `Bearer ${local.cloudflare.token}` },
  })
  const { processes } = Status.parse(await status.json())
  print("\n| process | resident |\n| --- | --- |")
  for (const { name, residentBytes } of processes) {
    print(`| ${name} | ${Math.round(residentBytes / 2 ** 20)} MiB |`)
  }
}

function edit({ directory }: Checkout, editor: string, round: number): void {
  writeFileSync(
    join(directory, "app", "edition.ts"),
    `export const edition = "${editor}-${round}-${process.pid}"\n`,
  )
}

/** Wrangler looks for a file named `X.bin`; the deployment reads `X.bin` as the file X. */
function copyBinaryFiles(copy: Checkout): void {
  const routes = "app/openapi/openapi-routes.ts"
  const { resolve } = createRequire(join(copy.directory, routes))
  copy.edit(routes, (content) =>
    content.replaceAll(/import\("(.+)\.bin"\)/g, (_, file: string) => {
      const name = `${basename(file)}.bin`
      copyFileSync(resolve(file), join(copy.directory, "app", "openapi", name))
      return `import("./${name}")`
    }),
  )
}

async function start(copy: Checkout): Promise<void> {
  const { code, stderr } = await copy.run("start", "--once", "--state", copy.state)
  if (code !== 0) throw new Error(stderr)
}

/** Milliseconds from saving a file to the first answer of the version built from it. */
async function measureWatch(
  copy: Checkout,
  { service, rounds }: { service: string; rounds: number },
): Promise<number[]> {
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
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const sample: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const before = await version(service)
      sample.push(
        await time(async () => {
          writeFileSync(
            join(copy.directory, "app", "edition.ts"),
            `export const edition = "watch-${round}"\n`,
          )
          while ((await version(service)) === before) {
            await new Promise((resolve) => setTimeout(resolve, 25))
          }
        }),
      )
      await new Promise((resolve) => setTimeout(resolve, 3_000))
    }
    return sample
  } finally {
    child.kill("SIGTERM")
  }
}

async function version(service: string): Promise<string | undefined> {
  return (await sendRequest(`${service}/api/health`)).headers["accounts-version"]?.[0]
}
