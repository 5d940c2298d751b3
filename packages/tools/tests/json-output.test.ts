import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFile, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { localCloudflare } from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { bringUpSandbox } from "../cli/process/sandbox.ts"

const program = join(import.meta.dirname, "../cli/main.js")
const megabyte = 1024 * 1024

/** Its log has two megabytes. */
const cloudflare = await localCloudflare()
afterAll(() => cloudflare[Symbol.asyncDispose]())
const entry = { time: new Date().toISOString(), event: "problem", of: "x".repeat(2_000) }
const entries = `${JSON.stringify(entry)}\n`.repeat(1_000)
await appendFile(join(cloudflare.directory, "cloudflare", "log.ndjson"), entries)

type Piped = { code: number; stdout: string }

/** Runs a command whose stdout is a pipe of the shell; the reader starts a second late, as `jq` does. */
async function throughPipe(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Piped> {
  const script = `{ "$@"; echo "$?" >&3; } | { sleep 1; cat; }`
  const child = spawn("sh", ["-c", script, "sh", process.execPath, program, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore", "pipe"],
  })
  const chunks: Buffer[] = []
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk))
  let code = ""
  child.stdio[3]?.on("data", (chunk: Buffer) => (code += chunk.toString()))
  await once(child, "close")
  return { code: Number(code), stdout: Buffer.concat(chunks).toString() }
}

/** The entries of a document that is whole and longer than a pipe's buffer by far. */
function entriesOf({ code, stdout }: Piped): unknown[] {
  expect(code).toBe(0)
  expect(Buffer.byteLength(stdout)).toBeGreaterThan(megabyte)
  return z.array(z.unknown()).parse(JSON.parse(stdout))
}

test("a megabyte of log passes through a pipe whole", async () => {
  const state = ["--state", cloudflare.directory]
  const args = ["local", "log", ...state, "-n", "1000", "--kind", "problem", "--json"]
  expect(entriesOf(await throughPipe(args))).toHaveLength(1_000)
})

test("a megabyte of e-mails passes through a pipe whole", async () => {
  await using directory = await temporaryDirectory()
  const state = directory.path
  const sandbox = await bringUpSandbox("mail", { state, anyPort: true, onLog: () => {} })
  try {
    const asOwner = { authorization: `Bearer ${sandbox.token}` }
    const keys = {
      method: "PUT",
      headers: asOwner,
      body: JSON.stringify({ secret: "the-service" }),
    }
    expect((await fetch(new URL("/local/keys", sandbox.url), keys)).ok).toBe(true)
    const email = { from: "a@example.com", to: "b@example.com", subject: "Hello" }
    for (let count = 0; count < 40; count += 1) {
      const response = await fetch(new URL("/send", sandbox.url), {
        method: "POST",
        headers: { authorization: "Bearer the-service" },
        body: JSON.stringify({ ...email, text: "x".repeat(30_000) }),
      })
      expect(response.status).toBe(200)
    }
    const args = ["local", "mail", "--state", state, "--json"]
    expect(entriesOf(await throughPipe(args))).toHaveLength(40)
  } finally {
    await sandbox.stop()
  }
})

test("a megabyte of previews passes through a pipe whole", async () => {
  await using directory = await temporaryDirectory()
  const stacks = Array.from({ length: 20_000 }, (_, index) => ({
    name: `preview-${"x".repeat(30)}-${index}`,
    current: false,
    lastUpdate: "2026-11-22T00:00:00.000Z",
  }))
  await mkdir(join(directory.path, "bin"))
  await writeFile(join(directory.path, "stacks.json"), JSON.stringify(stacks))
  const engine = join(directory.path, "bin", "pulumi")
  const answer = `#!/bin/sh\ncase $1 in version) echo v3.259.0 ;; *) cat '${directory.path}/stacks.json' ;; esac\n`
  await writeFile(engine, answer, { mode: 0o755 })
  const args = ["branch", "list", "--engine", engine, "--state", directory.path, "--json"]
  const piped = await throughPipe(args, { CLOUDFLARE_API_TOKEN: "none" })
  expect(entriesOf(piped)).toHaveLength(20_000)
})

test("a reader that has read enough ends a command quietly", async () => {
  const script = `{ "$@" 2>&4; echo "$?" >&3; } | head -c 10`
  const args = ["local", "log", "--state", cloudflare.directory, "-n", "1000", "--json"]
  const child = spawn("sh", ["-c", script, "sh", process.execPath, program, ...args], {
    stdio: ["ignore", "pipe", "inherit", "pipe", "pipe"],
  })
  const outcome = { stdout: "", code: "", stderr: "" }
  for (const [name, stream] of [
    ["stdout", child.stdout],
    ["code", child.stdio[3]],
    ["stderr", child.stdio[4]],
  ] as const) {
    stream?.on("data", (chunk: Buffer) => (outcome[name] += chunk.toString()))
  }
  await once(child, "close")
  expect(outcome).toEqual({ stdout: expect.stringMatching(/^\[/), code: "0\n", stderr: "" })
})
