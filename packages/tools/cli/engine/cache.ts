import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { lock } from "proper-lockfile"

import { askVersion, engineVersion } from "./engine-environment.ts"
import { isExecutable } from "./executable.ts"

/** Outside the repository: every clone uses it, and it survives `git clean`. */
export function engineCache(env: NodeJS.ProcessEnv) {
  const home = env["HOME"] ?? homedir()
  const user =
    process.platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache")
  const directory = env["ACCOUNTS_CACHE"] || join(env["XDG_CACHE_HOME"] || user, "accounts")
  return join(directory, "engine")
}

/** As Pulumi installs itself. */
export function commandIn(root: string) {
  return join(root, "bin", "pulumi")
}

export function entryIn(cache: string) {
  return join(cache, engineVersion)
}

/** Whole if it is there: a draft is verified, and then renamed to it. */
export async function hasEntry(cache: string): Promise<boolean> {
  return await isExecutable(commandIn(entryIn(cache)))
}

/** Creates a working directory on the cache's file system, and removes those of killed runs. */
export async function openDraft(cache: string) {
  await mkdir(cache, { recursive: true })
  const prefix = `.${engineVersion}-`
  const leftovers = (await readdir(cache)).filter((name) => name.startsWith(prefix))
  await Promise.all(
    leftovers.map((name) => rm(join(cache, name), { recursive: true, force: true })),
  )
  return mkdtemp(join(cache, prefix))
}

/** Verifies a draft and moves it into the cache in one rename, so that no run sees half an engine. */
export async function putEntry(options: {
  cache: string
  draft: string
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}) {
  const { cache, draft, env, signal } = options
  const { version } = await askVersion(commandIn(draft), env, signal)
  if (version !== engineVersion) {
    throw new Error(`The result is Pulumi ${version}, not ${engineVersion}.`)
  }
  signal.throwIfAborted()
  // A rename cannot replace a directory, such as one whose engine is no longer executable.
  await rm(entryIn(cache), { recursive: true, force: true })
  await rename(draft, entryIn(cache))
}

/** A holder that has not touched its lock for this long is dead, or its machine slept (ms). */
const staleTimeout = 15_000
const pollInterval = 500

/**
 * Locks `name` in a directory against every other process of this machine until it is disposed.
 * `lost` aborts when the lock is lost, for example because the file system has disappeared.
 */
export async function lockCache(options: {
  directory: string
  name: string
  signal: AbortSignal
  onWait: () => void
}): Promise<AsyncDisposable & { lost: AbortSignal }> {
  const { directory, name, signal, onWait } = options
  await mkdir(directory, { recursive: true })
  const lost = new AbortController()
  const attempt = () =>
    lock(directory, {
      lockfilePath: `${directory}/${name}.lock`,
      stale: staleTimeout,
      onCompromised: (cause) =>
        lost.abort(new Error(`The lock on ${directory} was lost.`, { cause })),
    }).catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ELOCKED") return undefined
      throw error
    })

  let release = await attempt()
  if (!release) onWait()
  while (!release) {
    await sleep(pollInterval, undefined, { signal }).catch(() => undefined)
    signal.throwIfAborted()
    release = await attempt()
  }
  const free = release
  return {
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      if (!lost.signal.aborted) await free()
    },
  }
}
