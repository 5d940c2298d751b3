import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { messageOf } from "../../failure.ts"
import { paint, say } from "../output.ts"
import { parseIfJson, readIfExists } from "../process/read-file.ts"
import { callEngine } from "../stack/call-engine.ts"
import type { Site } from "../stack/stored-state.ts"
import { describeLock, expectReleasable, isLockRefusal, locksIn, type Lock } from "./lock.ts"

type Wish = {
  stack: string
  /** The command that repairs this stack. */
  repair: string
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
  const directory = join(backend, ".pulumi", "locks", "organization", "accounts", wish.stack)
  if (!existsSync(directory)) return 0
  const locks = readdirSync(directory).flatMap((name): Lock[] => {
    const written = readIfExists(join(directory, name))
    // Its run has just exited and removed it.
    if (written === undefined) return []
    const { data: holder } = Holder.safeParse(parseIfJson(written))
    return [{ id: name.replace(/\.json$/, ""), ...(holder && { holder }) }]
  })
  expectReleasable(locks, wish)
  for (const lock of locks) {
    rmSync(join(directory, `${lock.id}.json`), { force: true })
    sayRemoved(lock)
  }
  return locks.length
}

/**
 * The same for any backend, through the engine.
 * @throws Failure LOCKED
 */
export async function freeStack(site: Site, wish: Wish): Promise<number> {
  const locks = await findLocks(site, wish.stack)
  expectReleasable(locks, wish)
  if (locks.length === 0) return 0
  // It removes every lock, which are those that were found: no run starts while a stack is locked.
  await ask(site, "cancel", "--yes", "--stack", wish.stack)
  for (const lock of locks) sayRemoved(lock)
  return locks.length
}

function sayRemoved(lock: Lock): void {
  say(`${paint.green("✓")} removed the lock of a killed run: ${describeLock(lock)}`)
}

const Backend = z.object({ url: z.string() })

async function findLocks(site: Site, stack: string): Promise<Lock[]> {
  const { url } = Backend.parse(JSON.parse(await ask(site, "whoami", "--verbose", "--json")))
  return /^https?:/.test(url)
    ? await updateInProgress(site, stack)
    : await locksOfBucket(site, stack)
}

/**
 * No command of the engine lists locks, but a rename takes one first and lists those in its way. To
 * its own name it is refused in any case, so it changes nothing.
 */
async function locksOfBucket(site: Site, stack: string): Promise<Lock[]> {
  try {
    await ask(site, "stack", "rename", stack, "--stack", stack)
    return []
  } catch (error) {
    const text = messageOf(error)
    if (isLockRefusal(text)) return locksIn(text)
    if (/already exists/.test(text)) return []
    throw error
  }
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
