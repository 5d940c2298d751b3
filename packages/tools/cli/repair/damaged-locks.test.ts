import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { expect, test } from "vitest"

import { engineVersion } from "../engine/engine-environment.ts"
import { withAdvice } from "../error-report.ts"
import { freeLocalStack, freeStack } from "./lock.ts"

const folder = ".pulumi/locks/organization/accounts/staging"
const id = "9a7c0000-0000-4000-8000-000000000001"
const wish = { stack: "staging", named: [] }

/**
 * An engine whose rename says what 3.259.0 said of such an object, on standard error, and whose
 * `cancel` is recorded.
 */
function openBackend(said: string, url?: string) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-locks-"))
  mkdirSync(join(directory, folder), { recursive: true })
  const [command, cancelled, words] = ["pulumi", "cancelled", "said"].map((name) =>
    join(directory, name),
  )
  writeFileSync(words ?? "", said)
  const backend = JSON.stringify({ user: "ada", url: url ?? pathToFileURL(directory).href })
  const script = `#!/bin/sh
case "$1 $2" in
  "whoami "*) echo '${backend}' ;;
  "stack rename") cat '${words}' >&2; exit 255 ;;
  "cancel "*) echo "$*" > '${cancelled}' ;;
  *) exit 9 ;;
esac
`
  writeFileSync(command ?? "", script, { mode: 0o755 })
  const project = { directory, stack: "staging", stackFile: "", baseUrl: "", accountId: "" }
  const engine = {
    command: command ?? "",
    root: directory,
    version: engineVersion,
    environment: {},
  }
  return {
    site: { engine, project },
    backend: directory,
    cancelled: () => existsSync(cancelled ?? ""),
    write: (name: string, text: string) => writeFileSync(join(directory, folder, name), text),
    names: () => readdirSync(join(directory, folder)),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

const damages: [string, string][] = [
  ["", "error: unexpected end of JSON input\n"],
  ['{"pid":', "error: unexpected end of JSON input\n"],
  ['{"pid":"x"}', "error: json: cannot unmarshal string into Go struct field lockContent.pid\n"],
  ["null", "Panic: runtime error\nbackend/diy.(*diyBackend).checkForLock(0x25d836878480)\n"],
]

test.each(damages)(
  "a lock in a directory that is %j is named, and goes only by its id",
  async (text, said) => {
    using backend = openBackend(said)
    backend.write(`${id}.json`, text)
    await expect(freeStack(backend.site, wish)).rejects.toThrow(
      `The stack staging is locked by a file that is empty or damaged and does not say whose it is (lock ${id}). ` +
        `Wait for it or stop it. If it no longer runs, free the stack: ./accounts repair -s staging --lock ${id}`,
    )
    expect(backend.cancelled()).toBe(false)
    expect(await freeStack(backend.site, { ...wish, named: [id] })).toBe(1)
    expect(backend.cancelled()).toBe(true)
  },
)

test("a damaged lock hides no other: each has to be named", async () => {
  using backend = openBackend("error: unexpected end of JSON input\n")
  const holder = {
    pid: 4711,
    username: "ada",
    hostname: "runner-3",
    timestamp: "2026-11-22T03:00:00Z",
  }
  backend.write(`${id}.json`, "")
  backend.write("other.json", JSON.stringify(holder))
  await expect(freeStack(backend.site, { ...wish, named: [id] })).rejects.toThrow(
    "process 4711 of ada on runner-3",
  )
  expect(backend.cancelled()).toBe(false)
})

test.each(damages)(
  "an object of a bucket that is %j is said, with the command that deletes all locks of the stack",
  async (_, said) => {
    using backend = openBackend(said, "s3://state?endpoint=a.r2.cloudflarestorage.com&region=auto")
    await expect(freeStack(backend.site, { ...wish, named: [id] })).rejects.toThrow(
      "See that no run deploys it; `pulumi cancel --yes --stack staging` then deletes all its locks.",
    )
    expect(backend.cancelled()).toBe(false)
  },
)

test("a lock of which the engine knows no holder goes only by its id", async () => {
  const place = `s3://state/${folder}/${id}.json?region=auto`
  using backend = openBackend(
    `error: the stack is currently locked by 1 lock(s).\n  ${place}: created by @ (pid 0) at 0001-01-01T00:00:00Z\n`,
    "s3://state",
  )
  await expect(freeStack(backend.site, wish)).rejects.toThrow(`--lock ${id}`)
  expect(await freeStack(backend.site, { ...wish, named: [id] })).toBe(1)
})

test("a backend that refuses for another reason is quoted", async () => {
  using backend = openBackend("error: no credentials for the bucket\n", "s3://state")
  await expect(freeStack(backend.site, wish)).rejects.toThrow("no credentials for the bucket")
})

test("what a kill leaves of a lock that is being written on this machine is removed by its id, whole", () => {
  using backend = openBackend("")
  backend.write(`${id}.json.18abc.tmp`, "")
  expect(() => freeLocalStack(backend.backend, wish)).toThrow(`--lock ${id}`)
  expect(freeLocalStack(backend.backend, { ...wish, named: [id] })).toBe(1)
  expect(backend.names()).toEqual([])

  // Beyond the largest id that Linux gives to a process.
  const gone = { pid: 2 ** 22 + 1, username: "ada", hostname: hostname(), timestamp: "now" }
  backend.write(`${id}.json.18abc.tmp`, JSON.stringify(gone))
  expect(freeLocalStack(backend.backend, wish)).toBe(1)
  expect(backend.names()).toEqual([])
})

test("what the engine says of an empty file at any other command leads to repair", () => {
  expect(withAdvice("error: unexpected end of JSON input")).toContain(
    "./accounts repair says which",
  )
  expect(withAdvice("error: the stack is broken")).toBe("error: the stack is broken")
})
