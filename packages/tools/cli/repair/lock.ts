import { existsSync, readdirSync, rmSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"

import { Failure, messageOf } from "../../base/failure.ts"
import { backendDirectory } from "../engine/engine-environment.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import { paint, say } from "../output.ts"
import { isAlive, hasExited } from "../process/is-alive.ts"
import { callEngine } from "../stack/engine.ts"
import type { Site } from "../stack/stored-state.ts"

/** The lock of a run that holds a stack, or that was killed while it held it. */
export type Lock = {
  id: string
  /** Undefined if the file is empty or damaged, for example by a kill during its write. */
  holder?: { username: string; hostname: string; timestamp: string; pid?: number | undefined }
}

/** Parses the locks from the engine's refusal, which has the same text for directories and buckets. */
export function locksIn(refusal: string): Lock[] {
  const listed =
    /(?<id>[^/\s?]+)\.json\S*: created by (?<username>.*)@(?<host>[^@\s]*) \(pid (?<pid>\d+)\) at (?<timestamp>\S+)/g
  const locks = [...refusal.matchAll(listed)].map(({ groups = {} }): Lock => {
    const { id = "", username = "", host = "", timestamp = "", pid } = groups
    // The holder is missing in a file that is `{}`, for example.
    if (host === "") return { id }
    return { id, holder: { username, hostname: host, timestamp, pid: Number(pid) } }
  })
  // The Automation API repeats the refusal.
  return [...new Map(locks.map((lock) => [lock.id, lock])).values()]
}

export function isLockRefusal(text: string): boolean {
  return /currently locked by|Another update is currently in progress/.test(text)
}

/**
 * Explains the engine's error about a stack that another run holds; undefined for any other error.
 */
export function lockedFailure(error: unknown, way: StackPlace): Failure | undefined {
  const text = messageOf(error)
  if (!isLockRefusal(text)) return undefined
  return new Failure("LOCKED", describeLocks(locksIn(text), way), { cause: error })
}

/** Whether the lock's run was on this machine and has exited. A lock without a holder may still be in use. */
function isDead({ holder }: Lock, { local }: StackPlace): boolean {
  if (holder?.hostname !== hostname() || holder.pid === undefined) return false
  return local ? !isAlive(holder.pid) : hasExited(holder.pid)
}

/** @throws Failure LOCKED for a lock that may be of a running process */
export function expectReleasable(
  locks: Lock[],
  { unlock, ...way }: StackPlace & { unlock: boolean },
): void {
  if (unlock || locks.every((lock) => isDead(lock, way))) return
  throw new Failure("LOCKED", describeLocks(locks, way))
}

/** Describes who holds a stack, and how to free it. */
export function describeLocks(locks: Lock[], way: StackPlace): string {
  const { stack } = way
  const repair = nextCommand("repair", way)
  const holders = locks.map(describeLock).join(" and ") || "another run, or one that was killed"
  if (locks.length > 0 && locks.every((lock) => isDead(lock, way))) {
    // A run that has just ended may have removed its lock already.
    return `The stack ${stack} is locked by ${holders}, which runs no longer. Run again, and if it is still locked, free it: ${repair}`
  }
  const free = nextCommand("repair", way, "--unlock")
  return (
    `The stack ${stack} is locked by ${holders}. Wait for it or stop it. ` +
    `If it no longer runs, free the stack: ${free}`
  )
}

function describeLock({ id, holder }: Lock): string {
  if (!holder) return `a file that is empty or damaged and does not say whose it is (lock ${id})`
  const { pid, username, hostname: host, timestamp } = holder
  const of = pid === undefined ? username : `process ${pid} of ${username}`
  return `${of} on ${host} since ${timestamp} (lock ${id})`
}

/**
 * Finds the locks of a stack. No command lists them, but a rename needs a lock and its refusal lists existing
 * locks. A rename to the stack's own name is always refused, so it changes nothing.
 * @param ids ids of the existing locks, if known: for a damaged lock the engine names none
 */
async function findLocks({ engine, project }: Site, ids = ["unknown"]): Promise<Lock[]> {
  const { directory, stack } = project
  const args = ["stack", "rename", stack, "--stack", stack]
  const refusal = await callEngine(engine, { directory, args }).catch(messageOf)
  if (isLockRefusal(refusal)) return locksIn(refusal)
  return /unexpected end of JSON input/.test(refusal) ? ids.map((id) => ({ id })) : []
}

/**
 * Removes the locks of killed runs, and returns their number.
 * @param options.unlock the user says that no run holds the stack any more
 * @throws Failure LOCKED for a lock that may be of a running process
 */
export async function freeStack(site: Site, { unlock }: { unlock: boolean }): Promise<number> {
  const { directory, stack } = site.project
  const locks = await findLocks(site)
  expectReleasable(locks, { stack, local: false, unlock })
  if (locks.length === 0 && !unlock) return 0
  // This removes every lock. No run can have added one since, because the stack was locked.
  await callEngine(site.engine, { directory, args: ["cancel", "--yes", "--stack", stack] })
  return sayRemoved(locks)
}

/**
 * Does the same for a stack of this machine. It starts an engine only if there are locks, and removes only the
 * files that it checked: of two concurrent runs, the second must not remove the first run's lock.
 */
export async function freeLocalStack(
  site: Site,
  { state, unlock }: { state: string; unlock: boolean },
): Promise<number> {
  const { stack } = site.project
  const folder = join(backendDirectory(state), `.pulumi/locks/organization/accounts/${stack}`)
  const files = existsSync(folder) ? readdirSync(folder) : []
  if (files.length === 0) return 0
  const ids = files.map((name) => name.replace(/\.json(?:\..*)?$/, ""))
  const locks = await findLocks(site, ids)
  expectReleasable(locks, { stack, local: true, unlock })
  for (const file of files) rmSync(join(folder, file), { force: true })
  return sayRemoved(locks)
}

function sayRemoved(locks: Lock[]): number {
  for (const lock of locks) say(`${paint.green("✓")} removed a lock: that of ${describeLock(lock)}`)
  return locks.length
}
