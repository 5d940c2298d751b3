import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"

import { askEdge } from "@accounts-stack/local/cloudflare/testing/ask-edge"
import {
  localCloudflare,
  localCloudflareProcess,
} from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

const program = join(import.meta.dirname, "../cli/main.js")
const host = "unknown.accounts.test"

/** `./accounts local …` as a script runs it. */
function accounts(...args: string[]) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [program, "local", ...args], (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

test("the log prints columns for people and JSON for programs, filtered by the local Cloudflare", async () => {
  await using cloudflare = await localCloudflare()
  const state = ["--state", cloudflare.directory]
  await askEdge(cloudflare.edge, host, "/first")
  await askEdge(cloudflare.edge, host, "/\u001B[31msecond")
  await cloudflare.request("/nothing")
  const time = new Date().toISOString()
  const unknown = { time, event: "eclipse", of: "the sun", depth: { percent: 80 } }
  const file = join(cloudflare.directory, "cloudflare", "log.ndjson")
  await appendFile(file, `${JSON.stringify(unknown)}\n`)

  const plain = await accounts("log", ...state)
  expect(plain).toMatchObject({ code: 0, stderr: "" })
  expect(plain.stdout).not.toContain("\u001B")
  const clock = String.raw`\d\d:\d\d:\d\d\.\d{3}`
  const lines = plain.stdout.trimEnd().split("\n")
  expect(lines).toHaveLength(5)
  expect(lines[0]).toMatch(
    new RegExp(String.raw`^${clock}  request        404   +\d+ ms  GET     ${host}/first$`),
  )
  expect(lines[3]).toMatch(/ api +501 +\d+ ms {2}GET +\/client\/v4\/nothing/)
  expect(lines[4]).toMatch(new RegExp(`^${clock}  eclipse .*of=the sun  depth={"percent":80}$`))

  const json = await accounts("log", ...state, "--json", "-n", "2")
  expect(JSON.parse(json.stdout)).toMatchObject([{ event: "api" }, unknown])
  const mistyped = await accounts("log", ...state, "--kind", "eclipse")
  expect(mistyped).toMatchObject({ code: 2, stdout: "" })
  expect(mistyped.stderr).toContain("kinds of entries: request, api")
  const filtered = await accounts("log", ...state, "--kind", "request", "--json")
  expect(JSON.parse(filtered.stdout)).toMatchObject([{ path: "/first" }, { event: "request" }])
})

test("--follow runs until a signal, and reports when the local Cloudflare stops", async () => {
  await using cloudflare = await localCloudflareProcess()
  await askEdge(cloudflare.edge, host, "/before")
  const follow = () => {
    const args = [program, "local", "log", "--state", cloudflare.directory, "--follow", "--json"]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    let stderr = ""
    child.stderr.on("data", (chunk) => (stderr += String(chunk)))
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null")
    const exit = once(child, "close").then(() => ({ code: child.exitCode, stderr }))
    return { next, ended: exit, interrupt: () => child.kill("SIGINT") }
  }
  const [first, second] = [follow(), follow()]
  for (const follower of [first, second]) {
    expect(await follower.next()).toMatchObject({ path: "/before" })
  }
  await askEdge(cloudflare.edge, host, "/live")
  for (const follower of [first, second]) {
    expect(await follower.next()).toMatchObject({ path: "/live" })
  }
  first.interrupt()
  expect(await first.ended).toEqual({ code: 0, stderr: "" })
  await cloudflare.stop("SIGTERM")
  expect(await second.ended).toEqual({
    code: 1,
    stderr: "error: The local Cloudflare has stopped.\n",
  })
})

test("without a local Cloudflare the log says how to start one", async () => {
  await using directory = await temporaryDirectory()
  const outcome = await accounts("log", "--state", directory.path)
  expect(outcome).toMatchObject({ code: 1, stdout: "" })
  expect(outcome.stderr).toMatch(/No local Cloudflare is running on .*npm start/)
})
