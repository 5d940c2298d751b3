import { existsSync, readdirSync, rmSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"

import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { parseJson } from "../../deploy/api.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import { paint, say } from "../output.ts"
import { isAlive, hasExited, readIfExists } from "../process/is-alive.ts"
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

type Wish = {
  stack: string
  /** The user says that no run holds the stack any more. */
  unlock: boolean
}

/** @throws Failure LOCKED for a lock that may be of a running process */
export function expectReleasable(
  locks: Lock[],
  { unlock, ...way }: StackPlace & { unlock: boolean },
): void {
  if (unlock || locks.every((lock) => isDead(lock, way))) return
  throw new Failure("LOCKED", describeLocks(locks, way))
}

/** Says who holds a stack, and the one way to free it. */
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

const Holder = z.object({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.string(),
})

/**
 * Removes the locks of killed runs from a backend in a directory, and returns how many. It reads the
 * directory itself, because asking an engine takes as long as a small `up`.
 * @throws Failure LOCKED
 */
export function freeLocalStack(backend: string, wish: Wish): number {
  const locksByFile = locksOfDirectory(backend, wish.stack)
  const locks = [...locksByFile.values()]
  expectReleasable(locks, { ...wish, local: true })
  for (const file of locksByFile.keys()) rmSync(file, { force: true })
  for (const lock of locks) sayRemoved(lock)
  return locks.length
}

/**
 * By file. The engine counts every file as a lock, also what a kill leaves of one that is being written:
 * `ID.json.TIME.tmp` (https://github.com/google/go-cloud/blob/master/blob/fileblob/fileblob.go).
 */
function locksOfDirectory(backend: string, stack: string): Map<string, Lock> {
  const directory = join(backend, `.pulumi/locks/organization/accounts/${stack}`)
  const names = existsSync(directory) ? readdirSync(directory) : []
  const entries = names.flatMap((name): [string, Lock][] => {
    const file = join(directory, name)
    const written = readIfExists(file)
    // Its run has just exited and removed it.
    if (written === undefined || name.endsWith(".attrs")) return []
    const { data: holder } = Holder.safeParse(parseJson(written))
    return [[file, { id: name.replace(/\.json(?:\..*)?$/, ""), ...(holder && { holder }) }]]
  })
  return new Map(entries)
}

/**
 * The same for any backend, through the engine. No command of it lists locks, but a rename takes one first and names
 * those in its way; to its own name it is refused in any case, so it changes nothing.
 * @throws Failure LOCKED
 */
export async function freeStack({ engine, project }: Site, wish: Wish): Promise<number> {
  const { stack, unlock } = wish
  const { directory } = project
  const rename = ["stack", "rename", stack, "--stack", stack]
  const refusal = await callEngine(engine, { directory, args: rename }).catch(messageOf)
  const locks = isLockRefusal(refusal) ? locksIn(refusal) : []
  expectReleasable(locks, { ...wish, local: false })
  if (locks.length === 0 && !unlock) return 0
  // It removes every lock, which are those that were found: no run starts while a stack is locked.
  await callEngine(engine, { directory, args: ["cancel", "--yes", "--stack", stack] })
  for (const lock of locks) sayRemoved(lock)
  return locks.length
}

function sayRemoved(lock: Lock): void {
  say(`${paint.green("✓")} removed a lock: that of ${describeLock(lock)}`)
}
