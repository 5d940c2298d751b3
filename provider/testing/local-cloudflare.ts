import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"

import * as z from "zod"

const Ready = z.object({
  event: z.literal("ready"),
  api: z.string(),
  edge: z.string(),
  accountId: z.string(),
})

export type LocalCloudflare = Awaited<ReturnType<typeof startLocalCloudflare>>

const main = resolve(import.meta.dirname, "../../local/cloudflare/main.js")

/** A local Cloudflare with free ports and empty state. */
export async function startLocalCloudflare() {
  const state = await mkdtemp(join(tmpdir(), "provider-test-"))
  const child = spawn(
    process.execPath,
    [main, "--state", state, "--api-port", "0", "--port", "0", "--exit-with-parent"],
    { stdio: ["pipe", "pipe", "pipe"] },
  )
  const ended = new Promise<void>((settle) => child.once("exit", () => settle()))
  let errors = ""
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  const first = await Promise.race([
    new Promise<string>((settle) => createInterface(child.stdout).once("line", settle)),
    ended.then(() => ""),
  ])
  const ready = Ready.safeParse(first === "" ? undefined : JSON.parse(first))
  if (!ready.success) throw new Error(`the local Cloudflare did not start: ${first} ${errors}`)
  const token = (await readFile(join(state, "cloudflare", "token"), "utf8")).trim()
  return {
    ...ready.data,
    token,
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
      await rm(state, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
