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

/** A run that holds a stack, or that was killed while it did. */
export type Lock = {
  id: string
  /** Undefined if the file is empty or damaged, as after a kill while it was written. */
  holder?: { username: string; hostname: string; timestamp: string; pid?: number | undefined }
}

/** The locks that the engine lists when it refuses, which it does alike for directories and buckets. */
export function locksIn(refusal: string): Lock[] {
  const listed =
    /(?<id>[^/\s?]+)\.json\S*: created by (?<username>.*)@(?<host>[^@\s]*) \(pid (?<pid>\d+)\) at (?<timestamp>\S+)/g
  const locks = [...refusal.matchAll(listed)].map(({ groups = {} }): Lock => {
    const { id = "", username = "", host = "", timestamp = "", pid } = groups
    // The holder is missing in a file that is `{}`, for example.
    if (host === "") return { id }
    return { id, holder: { username, hostname: host, timestamp, pid: Number(pid) } }
  })
  // The Automation API tells the same refusal more than once.
  return [...new Map(locks.map((lock) => [lock.id, lock])).values()]
}

export function isLockRefusal(text: string): boolean {
  return /currently locked by|Another update is currently in progress/.test(text)
}

/**
 * Explains an error by which the engine refused a stack that another run holds; undefined for any other.
 */
export function lockedFailure(error: unknown, way: StackPlace): Failure | undefined {
  const text = messageOf(error)
  if (!isLockRefusal(text)) return undefined
  return new Failure("LOCKED", describeLocks(locksIn(text), way), { cause: error })
}

/** Whether its run was on this machine and is gone. What does not say whose it is may be of a run that goes on. */
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

/** Says who holds a stack, and how to free it. */
export function describeLocks(locks: Lock[], way: StackPlace): string {
  const { stack } = way
  const repair = nextCommand("repair", way)
  const holders = locks.map(describeLock).join(" and ") || "another run, or one that was killed"
  if (locks.length > 0 && locks.every((lock) => isDead(lock, way))) {
    // A run that ended just now has taken its lock away.
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
 * Asks the engine for the locks of a stack. No command of it lists them, but a rename takes one first and names those
 * that exist; to its own name it is refused in any case, so it changes nothing.
 * @param ids of the locks that exist, if they can be known: of a damaged lock the engine says nothing
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
  // It removes every lock, which are those that were found: no run starts while a stack is locked.
  await callEngine(site.engine, { directory, args: ["cancel", "--yes", "--stack", stack] })
  return sayRemoved(locks)
}

/**
 * The same for a stack of this machine. It starts an engine only if there are locks, and removes only the files that
 * it judged: of two runs that begin together, the second must not remove the lock of the first.
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
