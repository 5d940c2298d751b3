import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { engineVersion } from "../engine/engine-environment.ts"
import {
  describeLocks,
  expectReleasable,
  isLockRefusal,
  locksIn,
  type Lock,
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

test("a message names every holder, and the ids to type for those that may be active", () => {
  const message = describeLocks(locksIn(refusal), way)
  expect(message).toBe(
    "The stack staging is locked by process 4711 of ada on runner-3 since 2026-11-22T03:00:00Z (lock 9a7c-1) and " +
      "process 12 of CORP\\ada lovelace on runner-4 since 2026-11-22T03:00:01Z (lock 9a7c-2). " +
      "Wait for it or stop it. If it no longer runs, free the stack: ./accounts repair -s staging --local --lock 9a7c-1 --lock 9a7c-2",
  )
})

test("a lock is released without its id only if its process was on this machine and is gone", () => {
  const mine = { username: "ada", hostname: hostname(), timestamp: "2026-11-22T03:00:00Z" }
  // Beyond the largest id that Linux gives to a process.
  const dead = { id: "dead", holder: { ...mine, pid: 2 ** 22 + 1 } }
  const alive = { id: "alive", holder: { ...mine, pid: process.pid } }
  const foreign = { id: "foreign", holder: { ...mine, hostname: "runner-3", pid: 2 ** 22 + 1 } }
  const release = (locks: Lock[], named: string[] = []) =>
    expectReleasable(locks, { ...way, named })
  expect(() => release([dead])).not.toThrow()
  for (const lock of [alive, foreign, { id: "cut" }]) {
    expect(() => release([dead, lock])).toThrow(`repair -s staging --local --lock ${lock.id}`)
    expect(() => release([dead, lock], ["another"])).toThrow(`--lock ${lock.id}`)
    expect(() => release([dead, lock], [lock.id])).not.toThrow()
  }
})

test("an update of Pulumi Cloud that never ended is cancelled once its id is typed", async () => {
  using cloud = openCloud()
  const { site, cancelled } = cloud
  const wish = { ...way, named: [] }
  await expect(freeStack(site, wish)).rejects.toThrow(
    "update of ada on Pulumi Cloud since 2026-11-22T03:00:00.000Z (lock update-7). Wait for it or stop it. " +
      "If it no longer runs, free the stack: ./accounts repair -s staging --lock update-7",
  )
  expect(existsSync(cancelled)).toBe(false)
  expect(await freeStack(site, { ...wish, named: ["update-7"] })).toBe(1)
  expect(readFileSync(cancelled, "utf8")).toBe("cancel --yes --stack staging --non-interactive\n")
})

/** An engine that is logged in to Pulumi Cloud, where an update of `staging` is in progress. */
function openCloud() {
  const directory = mkdtempSync(join(tmpdir(), "accounts-cloud-"))
  const command = join(directory, "pulumi")
  const cancelled = join(directory, "cancelled")
  const history = [
    {
      version: 7,
      kind: "update",
      startTime: "2026-11-22T03:00:00.000Z",
      environment: { "git.author": "ada" },
    },
  ]
  const script = `#!/bin/sh
case "$1 $2" in
  "whoami "*) echo '{"user":"ada","url":"https://app.pulumi.com/ada"}' ;;
  "stack ls") echo '[{"name":"staging","updateInProgress":true}]' ;;
  "stack history") echo '${JSON.stringify(history)}' ;;
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
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}
