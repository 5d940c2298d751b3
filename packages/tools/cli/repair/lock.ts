import { hostname } from "node:os"

import { Failure, messageOf } from "../../base/failure.ts"
import { nextCommand, type StackPlace } from "../next-command.ts"
import { isAlive, isGone } from "../process/is-alive.ts"

/** A run that holds a stack, or that was killed while it did. */
export type Lock = {
  /** What `--lock` takes. */
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
    // Of a file that is `{}`, for example.
    if (host === "") return { id }
    return { id, holder: { username, hostname: host, timestamp, pid: Number(pid) } }
  })
  // The Automation API tells the same refusal more than once.
  return [...new Map(locks.map((lock) => [lock.id, lock])).values()]
}

export function isLockRefusal(text: string): boolean {
  return /currently locked by|Another update is currently in progress/.test(text)
}

/** What to say of an error by which the engine refused a stack that another run holds; undefined for any other. */
export function lockedFailure(error: unknown, way: StackPlace): Failure | undefined {
  const text = messageOf(error)
  if (!isLockRefusal(text)) return undefined
  return new Failure("LOCKED", describeLocks(locksIn(text), way), { cause: error })
}

/** Whether its run was on this machine and is gone. What does not say whose it is may be of a run that goes on. */
function isDead({ holder }: Lock, { local }: StackPlace): boolean {
  if (holder?.hostname !== hostname() || holder.pid === undefined) return false
  return local ? !isAlive(holder.pid) : isGone(holder.pid)
}

/** @throws Failure LOCKED for a lock that may be of a running process and was not named */
export function expectReleasable(
  locks: Lock[],
  { named, ...way }: StackPlace & { named: string[] },
): void {
  const held = locks.filter((lock) => !isDead(lock, way) && !named.includes(lock.id))
  if (held.length > 0) throw new Failure("LOCKED", describeLocks(locks, way))
}

/** Says who holds a stack, and the one way to free it. */
export function describeLocks(locks: Lock[], way: StackPlace): string {
  const { stack } = way
  const repair = nextCommand("repair", way)
  const holders = locks.map(describeLock).join(" and ") || "another run, or one that was killed"
  const foreign = locks.filter((lock) => !isDead(lock, way))
  if (locks.length > 0 && foreign.length === 0) {
    // A run that ended just now has taken its lock away.
    return `The stack ${stack} is locked by ${holders}, which runs no longer. Run again, and if it is still locked, free it: ${repair}`
  }
  const flags = foreign.map(({ id }) => ` --lock ${id}`).join("")
  return (
    `The stack ${stack} is locked by ${holders}. Wait for it or stop it. ` +
    `If it no longer runs, free the stack: ${repair}${flags}`
  )
}

export function describeLock({ id, holder }: Lock): string {
  if (!holder) return `a file that is empty or damaged and does not say whose it is (lock ${id})`
  const { pid, username, hostname: host, timestamp } = holder
  const of = pid === undefined ? username : `process ${pid} of ${username}`
  return `${of} on ${host} since ${timestamp} (lock ${id})`
}
