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
  const wish = { stack: "staging", unlock: false }
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
  const wish = { stack: "staging", unlock: false }
  expect([await freeStack(site, wish), existsSync(cancelled)]).toEqual([0, false])
  expect(await freeStack(site, { ...wish, unlock: true })).toBe(0)
  expect(existsSync(cancelled)).toBe(true)
})

test("what a kill leaves of a lock that is being written on this machine is removed whole, once that is said", () => {
  using backend = openBackend("")
  const folder = join(backend.directory, ".pulumi/locks/organization/accounts/staging")
  mkdirSync(folder, { recursive: true })
  const wish = { stack: "staging", unlock: false }
  const half = join(folder, "9a7c.json.18abc.tmp")
  writeFileSync(half, "")
  expect(() => freeLocalStack(backend.directory, wish)).toThrow(
    "locked by a file that is empty or damaged and does not say whose it is (lock 9a7c)",
  )
  expect(freeLocalStack(backend.directory, { ...wish, unlock: true })).toBe(1)
  expect(readdirSync(folder)).toEqual([])
  // Beyond the largest id that Linux gives to a process.
  const exitedHolder = { pid: 2 ** 22 + 1, username: "ada", hostname: hostname(), timestamp: "now" }
  writeFileSync(half, JSON.stringify(exitedHolder))
  expect(freeLocalStack(backend.directory, wish)).toBe(1)
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
