import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { engineVersion } from "../engine/engine-environment.ts"
import { withAdvice } from "../error-report.ts"
import {
  describeLocks,
  expectReleasable,
  isLockRefusal,
  locksIn,
  type Lock,
  freeLocalStack,
  freeStack,
} from "./lock.ts"

/** As `backend/diy/lock.go` of the engine writes it. */
const refusal = `error: the stack is currently locked by 2 lock(s). Either wait for the other process(es) to end or delete the lock file with \`pulumi cancel\`.
  s3://bucket/.pulumi/locks/organization/accounts/staging/9a7c-1.json?endpoint=a.r2.cloudflarestorage.com&region=auto: created by ada@runner-3 (pid 4711) at 2026-11-22T03:00:00Z
  s3://bucket/.pulumi/locks/organization/accounts/staging/9a7c-2.json?endpoint=a.r2.cloudflarestorage.com&region=auto: created by CORP\\ada lovelace@runner-4 (pid 12) at 2026-11-22T03:00:01Z`

const way = { stack: "staging", local: true }

test("the locks of a bucket are read from the engine's refusal, each once", () => {
  expect(isLockRefusal(refusal)).toBe(true)
  expect(locksIn(`${refusal}\n${refusal}`)).toEqual([
    {
      id: "9a7c-1",
      holder: {
        username: "ada",
        hostname: "runner-3",
        pid: 4711,
        timestamp: "2026-11-22T03:00:00Z",
      },
    },
    {
      id: "9a7c-2",
      holder: {
        username: "CORP\\ada lovelace",
        hostname: "runner-4",
        pid: 12,
        timestamp: "2026-11-22T03:00:01Z",
      },
    },
  ])
})

test("a message names every holder, and how to free the stack if none is active", () => {
  const message = describeLocks(locksIn(refusal), way)
  expect(message).toBe(
    "The stack staging is locked by process 4711 of ada on runner-3 since 2026-11-22T03:00:00Z (lock 9a7c-1) and " +
      "process 12 of CORP\\ada lovelace on runner-4 since 2026-11-22T03:00:01Z (lock 9a7c-2). " +
      "Wait for it or stop it. If it no longer runs, free the stack: ./accounts repair -s staging --local --unlock",
  )
})

test("a lock is released without its id only if its process was on this machine and is gone", () => {
  const mine = { username: "ada", hostname: hostname(), timestamp: "2026-11-22T03:00:00Z" }
  // Beyond the largest id that Linux gives to a process.
  const dead = { id: "dead", holder: { ...mine, pid: 2 ** 22 + 1 } }
  const alive = { id: "alive", holder: { ...mine, pid: process.pid } }
  const foreign = { id: "foreign", holder: { ...mine, hostname: "runner-3", pid: 2 ** 22 + 1 } }
  const release = (locks: Lock[], unlock = false) => expectReleasable(locks, { ...way, unlock })
  expect(() => release([dead])).not.toThrow()
  for (const lock of [alive, foreign, { id: "cut" }]) {
    expect(() => release([dead, lock])).toThrow("repair -s staging --local --unlock")
    expect(() => release([dead, lock], true)).not.toThrow()
  }
})

test("locks of a backend that names them go only once that is said", async () => {
  using backend = openBackend(refusal)
  const { site, cancelled } = backend
  const wish = { unlock: false }
  await expect(freeStack(site, wish)).rejects.toThrow(
    /process 4711 of ada on runner-3.* free the stack: .\/accounts repair -s staging --unlock$/,
  )
  expect(existsSync(cancelled)).toBe(false)
  expect(await freeStack(site, { ...wish, unlock: true })).toBe(2)
  expect(readFileSync(cancelled, "utf8")).toBe("cancel --yes --stack staging --non-interactive\n")
})

test("a damaged lock, of which the engine names none, goes only once that is said", async () => {
  using backend = openBackend("error: unexpected end of JSON input")
  const { site, cancelled } = backend
  await expect(freeStack(site, { unlock: false })).rejects.toThrow(
    "locked by a file that is empty or damaged and does not say whose it is",
  )
  expect(existsSync(cancelled)).toBe(false)
  expect(await freeStack(site, { unlock: true })).toBe(1)
  expect(existsSync(cancelled)).toBe(true)
})

test("locks of this machine are removed file by file, and only those that were judged", async () => {
  // Beyond the largest id that Linux gives to a process.
  const dead = 2 ** 22 + 1
  using backend = openBackend(
    `error: the stack is currently locked by 1 lock(s).\n  file:///locks/9a7c.json: created by ada@${hostname()} (pid ${dead}) at 2026-11-22T03:00:00Z`,
  )
  const { site, directory, cancelled } = backend
  const state = join(directory, "local")
  const folder = join(state, "pulumi/state/.pulumi/locks/organization/accounts/staging")
  expect(await freeLocalStack(site, { state, unlock: false })).toBe(0)
  mkdirSync(folder, { recursive: true })
  for (const name of ["9a7c.json", "9a7c.json.18abc.tmp"]) writeFileSync(join(folder, name), "")
  expect(await freeLocalStack(site, { state, unlock: false })).toBe(1)
  expect([readdirSync(folder), existsSync(cancelled)]).toEqual([[], false])
})

test("half of a lock of this machine, which a kill left, goes only once that is said", async () => {
  using backend = openBackend("error: unexpected end of JSON input")
  const { site, directory } = backend
  const state = join(directory, "local")
  const folder = join(state, "pulumi/state/.pulumi/locks/organization/accounts/staging")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "9a7c.json.18abc.tmp"), "")
  const wish = { state, unlock: false }
  await expect(freeLocalStack(site, wish)).rejects.toThrow("(lock 9a7c)")
  expect(readdirSync(folder)).toHaveLength(1)
  expect(await freeLocalStack(site, { ...wish, unlock: true })).toBe(1)
  expect(readdirSync(folder)).toEqual([])
})

test("what the engine says of an empty file at any other command leads to repair", () => {
  expect(withAdvice("error: unexpected end of JSON input")).toContain("./accounts repair --unlock")
  expect(withAdvice("error: the stack is broken")).toBe("error: the stack is broken")
})

/** An engine that refuses a rename with these words, and whose `cancel` is recorded. */
function openBackend(errorText: string) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-locks-"))
  const command = join(directory, "pulumi")
  const cancelled = join(directory, "cancelled")
  writeFileSync(join(directory, "said"), errorText)
  const script = `#!/bin/sh
case "$1 $2" in
  "stack rename") cat '${directory}/said' >&2; exit 255 ;;
  "cancel "*) echo "$*" > '${cancelled}' ;;
  *) exit 9 ;;
esac
`
  writeFileSync(command, script)
  chmodSync(command, 0o755)
  const project = { directory, stack: "staging", stackFile: "", baseUrl: "", accountId: "" }
  return {
    site: { engine: { command, version: engineVersion, environment: {} }, project },
    cancelled,
    directory,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}
