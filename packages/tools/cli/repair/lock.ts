import { existsSync, readdirSync, rmSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { parseJson } from "../../deploy/api.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import { paint, say } from "../output.ts"
import { isAlive, isGone, readIfExists } from "../process/is-alive.ts"
import { callEngine } from "../stack/engine.ts"
import type { Site } from "../stack/stored-state.ts"

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
  const free = nextCommand("repair", way, ...foreign.map(({ id }) => `--lock ${id}`))
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

type Wish = {
  stack: string
  /** Ids of locks that the user says nobody holds any more. */
  named: string[]
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
  const found = locksOfDirectory(backend, wish.stack)
  const locks = [...found.values()]
  expectReleasable(locks, { ...wish, local: true })
  for (const file of found.keys()) rmSync(file, { force: true })
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
  const found = names.flatMap((name): [string, Lock][] => {
    const file = join(directory, name)
    const written = readIfExists(file)
    // Its run has just exited and removed it.
    if (written === undefined || name.endsWith(".attrs")) return []
    const { data: holder } = Holder.safeParse(parseJson(written))
    return [[file, { id: name.replace(/\.json(?:\..*)?$/, ""), ...(holder && { holder }) }]]
  })
  return new Map(found)
}

/**
 * The same for any backend, through the engine.
 * @throws Failure LOCKED
 */
export async function freeStack(site: Site, wish: Wish): Promise<number> {
  const locks = await findLocks(site, wish.stack)
  expectReleasable(locks, { ...wish, local: false })
  if (locks.length === 0) return 0
  // It removes every lock, which are those that were found: no run starts while a stack is locked.
  await ask(site, "cancel", "--yes", "--stack", wish.stack)
  for (const lock of locks) sayRemoved(lock)
  return locks.length
}

function sayRemoved(lock: Lock): void {
  say(`${paint.green("✓")} removed a lock: that of ${describeLock(lock)}`)
}

const Backend = z.object({ url: z.string() })

async function findLocks(site: Site, stack: string): Promise<Lock[]> {
  const { url } = Backend.parse(JSON.parse(await ask(site, "whoami", "--verbose", "--json")))
  if (/^https?:/.test(url)) return await updateInProgress(site, stack)
  return await locksOfBucket(site, { url, stack })
}

/** Undefined for a bucket. The engine shows its directory as `file://~`, or relative to its own. */
function directoryOf(url: string): string | undefined {
  const plain = new URL(url)
  plain.search = ""
  return plain.protocol === "file:" && plain.host === "" ? fileURLToPath(plain) : undefined
}

/**
 * No command of the engine lists locks, but a rename takes one first and lists those in its way. To
 * its own name it is refused in any case, so it changes nothing.
 */
async function locksOfBucket(
  site: Site,
  { url, stack }: { url: string; stack: string },
): Promise<Lock[]> {
  try {
    await ask(site, "stack", "rename", stack, "--stack", stack)
    return []
  } catch (error) {
    const text = messageOf(error)
    const locks = locksIn(text)
    if (isLockRefusal(text) && locks.length > 0) return locks
    if (/already exists/.test(text)) return []
    if (!isDamage(text)) throw error
    const directory = directoryOf(url)
    if (directory !== undefined) return [...locksOfDirectory(directory, stack).values()]
    const message =
      `A lock of the stack ${stack} is empty or damaged, so the engine cannot say who holds the stack, and names no other lock. ` +
      `See that no run deploys it; \`pulumi cancel --yes --stack ${stack}\` then deletes all its locks.`
    throw new Failure("LOCKED", message, { cause: error })
  }
}

/** Go's words for an object that is not the JSON of a lock; at `null` the engine itself breaks down. */
function isDamage(text: string): boolean {
  return /unexpected end of JSON input|invalid character|cannot unmarshal|parsing time|checkForLock/.test(
    text,
  )
}

const Stacks = z.array(z.object({ name: z.string(), updateInProgress: z.boolean().default(false) }))

const Updates = z.array(
  z.object({
    version: z.number(),
    kind: z.string(),
    startTime: z.string(),
    environment: z.record(z.string(), z.string()).default({}),
  }),
)

/** Pulumi Cloud knows no locks, only the update that is running or that was killed. */
async function updateInProgress(site: Site, stack: string): Promise<Lock[]> {
  const stacks = Stacks.parse(JSON.parse(await ask(site, "stack", "ls", "--json")))
  if (!stacks.some(({ name, updateInProgress: busy }) => name === stack && busy)) return []
  const asked = ["stack", "history", "--json", "--page-size", "1", "--stack", stack]
  const [update] = Updates.parse(JSON.parse(await ask(site, ...asked)))
  if (!update) return []
  const { version, kind, startTime: timestamp, environment } = update
  const username = environment["git.author"] ?? environment["ci.system"] ?? "somebody"
  const id = `${kind}-${version}`
  return [
    { id, holder: { username: `${kind} of ${username}`, hostname: "Pulumi Cloud", timestamp } },
  ]
}

function ask({ engine, project }: Site, ...args: string[]): Promise<string> {
  return callEngine(engine, { directory: project.directory, args })
}
