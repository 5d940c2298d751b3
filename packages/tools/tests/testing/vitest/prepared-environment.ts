import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"

import { inject } from "vitest"
import * as z from "zod"

import { joinOrStart, type LocalCloudflare } from "../../../cli/process/local-cloudflare.ts"
import { openLocalStack } from "../../../cli/stack/local-stack.ts"
import { up } from "../../../cli/stack/stack.ts"

const Deployed = z.object({
  url: z.string(),
  worker: z.string(),
  versionId: z.string(),
  deploymentId: z.string(),
  databaseId: z.string(),
})

const Prepared = z.object({ apiPort: z.number(), port: z.number(), deployed: Deployed })

/** The `local` stack: its outputs and the port flags that fit its state. */
export type PreparedEnvironment = AsyncDisposable &
  z.infer<typeof Deployed> & { cloudflare: LocalCloudflare; ports: string[] }

/**
 * Runs a copy of a state directory that one `up` has made, for tests that need no first `up`.
 * Each vitest worker has its own state and ports and reuses them for one file after another.
 */
export async function openPrepared({ state }: { state: string }): Promise<PreparedEnvironment> {
  const worker = Number(process.env["VITEST_POOL_ID"] ?? 1)
  const slot = join(inject("preparedDirectory"), String(worker))
  await using opened = new AsyncDisposableStack()
  const { deployed, apiPort, port } = await prepare(slot, worker)
  await cp(join(slot, "state"), state, { recursive: true })
  opened.defer(() => rm(state, { recursive: true, force: true, maxRetries: 5 }))
  const cloudflare = await joinOrStart({ state, apiPort, port })
  opened.defer(() => cloudflare.stop())
  const resources = opened.move()
  return {
    ...deployed,
    cloudflare,
    ports: ["--api-port", String(apiPort), "--port", String(port)],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function prepare(slot: string, worker: number): Promise<z.infer<typeof Prepared>> {
  const file = join(slot, "prepared.json")
  const written = await readFile(file, "utf8").catch(() => undefined)
  if (written !== undefined) return Prepared.parse(JSON.parse(written))
  const state = join(slot, "state")
  await rm(state, { recursive: true, force: true })
  await mkdir(slot, { recursive: true })
  // Ranges of their own, so that no two draws meet: 12 workers fit below the ephemeral ports.
  const first = 20_000 + (worker % 12) * 1000
  const [apiPort, port] = [await freePort(first), await freePort(first + 500)]
  const options = { state, apiPort, port, engine: undefined }
  await using local = await openLocalStack(options)
  const { outputs } = await up(local.stack)
  const prepared = { apiPort, port, deployed: Deployed.parse(outputs) }
  await writeFile(file, JSON.stringify(prepared))
  return prepared
}

/**
 * Returns one of 500 ports from `first`. They are below the ephemeral range, so that no outgoing connection
 * takes the port between two test files.
 */
async function freePort(first: number): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * 500)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
}
