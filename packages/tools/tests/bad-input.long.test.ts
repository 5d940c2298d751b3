import { execFile } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"

import { localCloudflare } from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import { afterAll, expect, test } from "vitest"

import { joinOrStart } from "../cli/process/local-cloudflare.ts"
import { copyCheckout, type Run } from "./testing/checkout.ts"

const anyPorts = ["--port", "0", "--api-port", "0"]

/** Shared, because its copy costs half a second: each test has a state directory of its own. */
const checkout = copyCheckout()
afterAll(() => checkout[Symbol.asyncDispose]())

let states = 0
function newState(): string {
  states += 1
  return join(checkout.state, String(states))
}

function start(state: string, ...args: string[]) {
  return checkout.run("start", "--once", "--state", state, ...args)
}

/** Puts a file of the checkout back at the end. */
function keep(path: string): Disposable {
  const text = readFileSync(path)
  return { [Symbol.dispose]: () => writeFileSync(path, text) }
}

/** Expects exactly one `error:` and no stack trace. */
function expectOneMessage({ code, stdout, stderr }: Run, message: RegExp) {
  expect(stderr).toMatch(message)
  expect(stderr.match(/error:/g)).toHaveLength(1)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(stdout).toBe("")
  expect(code).toBe(1)
}

test.each<[string, (path: string) => void, RegExp]>([
  [
    "missing",
    (path) => rmSync(path),
    /environments\/Pulumi\.local\.yaml cannot be used:\s+the file does not exist/,
  ],
  [
    "malformed",
    (path) => writeFileSync(path, "config:\n  a: [1\n"),
    /Pulumi\.local\.yaml[\s\S]*YAML:[\s\S]*line/,
  ],
  [
    "unknown-key",
    (path) => writeFileSync(path, `${readFileSync(path, "utf8")}  accounts:cookiedomain: x.test\n`),
    /accounts:cookiedomain is not a known key/,
  ],
])("a %s stack file is rejected before anything starts", async (_kind, damage, message) => {
  const state = newState()
  const file = join(checkout.directory, "environments", "Pulumi.local.yaml")
  using _kept = keep(file)
  damage(file)
  expectOneMessage(await start(state, ...anyPorts), message)
  expect(existsSync(join(state, "cloudflare"))).toBe(false)
})

test.each(["--port", "--api-port"])("a port that is in use is named (%s)", async (option) => {
  const server = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const address = server.address()
  const port = typeof address === "object" && address ? String(address.port) : ""
  const otherOption = option === "--port" ? "--api-port" : "--port"
  try {
    expectOneMessage(
      await start(newState(), option, port, otherOption, "0"),
      new RegExp(`${port}.*taken`),
    )
  } finally {
    server.close()
  }
})

test("a state directory in use by a live process is left alone, and the process is named", async () => {
  await using holder = await localCloudflare()
  const state = holder.directory
  // Without its endpoint file it cannot be joined, but it still holds its lock.
  rmSync(join(state, "cloudflare", "endpoint.json"))
  expectOneMessage(await start(state, ...anyPorts), new RegExp(`process id ${process.pid}\\b`))
})

test("corrupt state is kept, and reported with the command that resets it", async () => {
  const state = newState()
  const firstRun = await joinOrStart({ state, apiPort: 0, port: 0 })
  await firstRun.stop()
  const database = join(state, "cloudflare", "control.db")
  for (const suffix of ["-wal", "-shm"]) rmSync(`${database}${suffix}`, { force: true })
  writeFileSync(database, "this is no database")
  expectOneMessage(await start(state, ...anyPorts), /local reset/)
  expect(readFileSync(database, "utf8")).toBe("this is no database")
})

const ownEntries = [
  "packages/tools/cli/main.js",
  "packages/d1-migrations/main.js",
  "infra/main.js",
  "packages/tools/deploy/main.js",
]
const localEntries = ["packages/local/cloudflare/main.js", "packages/local/provider/main.js"]

test.each([
  ["20.1.0", [...ownEntries, ...localEntries]],
  ["24.9.0", [...ownEntries, ...localEntries]],
  ["24.15.0", ownEntries],
  ["26.0.0", ownEntries],
])("Node %s is rejected by %j, which name the version that they need", async (version, entries) => {
  const root = join(import.meta.dirname, "../../..")
  const old = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`
  for (const entry of entries) {
    const outcome = await promisify(execFile)(
      process.execPath,
      ["--import", old, join(root, entry)],
      { timeout: 60_000 },
    ).then(
      () => ({ code: 0, output: "" }),
      (error: { code: number; stderr: string; stdout: string }) => ({
        code: error.code,
        output: error.stderr + error.stdout,
      }),
    )
    expect(outcome, entry).toMatchObject({
      code: entry === "infra/main.js" ? 32 : 1,
      output: expect.stringMatching(/Node 24\.1[06]\b/),
    })
    expect(outcome.output).toContain(`Node ${version}`)
    expect(outcome.output).not.toMatch(/^ +at /m)
  }
})

test.each([["repair"], ["plan"], ["up", "--yes"], ["destroy", "--yes"]])(
  "%s --local of an environment that there is not is wrong usage, and starts nothing",
  async (...args) => {
    const { code, stderr } = await checkout.run(...args, "-s", "nowhere", "--local")
    expect(code).toBe(2)
    expect(stderr).toContain("There is no environments/Pulumi.nowhere.yaml, and no preview nowhere")
    expect(existsSync(join(checkout.state, "cloudflare"))).toBe(false)
  },
)

test("wrong usage exits with code 2 and points to --help", async () => {
  for (const args of [["nonsense"], ["start", "--port", "http"], ["start", "--nonsense"]]) {
    const { code, stderr } = await checkout.run(...args)
    expect({ args, code }).toEqual({ args, code: 2 })
    expect(stderr).toMatch(/--help/)
  }
  expect(await checkout.run("--help")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/preview/),
  })
})

/** As its owner has filled it in. */
const previewFile = `config:
  accounts:environment: preview
  accounts:accountId: "0123456789abcdef0123456789abcdef"
  accounts:zone: acme.com
  accounts:apiOrigin: https://api-{branch}.preview.acme.com
  accounts:webOrigin: https://web-{branch}.preview.acme.com
`

test.each([
  ["without a token", "", "0123456789abcdef", /CLOUDFLARE_API_TOKEN is not set.*--local/],
  ["with the placeholder for an account", "x", "0".repeat(16), /accountId is still the placeh/],
])("branch up at Cloudflare creates nothing %s", async (_how, token, id, message) => {
  const environment = { CLOUDFLARE_API_TOKEN: token, GITHUB_HEAD_REF: "feature/Login" }
  await using clone = copyCheckout({ environment })
  clone.write("environments/preview.yaml", previewFile.replaceAll("0123456789abcdef", id))
  const { code, stdout, stderr } = await clone.run("branch", "up")
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(existsSync(clone.state)).toBe(false)
})
