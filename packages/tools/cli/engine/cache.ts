import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { setTimeout as sleep } from "node:timers/promises"

import { lock } from "proper-lockfile"
import * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import { askVersion, engineVersion } from "./engine-environment.ts"
import { isExecutable } from "./executable.ts"

/** Written beside a cached engine, to detect later whether the file has changed. */
const Manifest = z.strictObject({
  version: z.string(),
  source: z.enum(["download", "build"]),
  bytes: z.number(),
  modified: z.number(),
  sha256: z.string(),
})

type Manifest = z.infer<typeof Manifest>

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

/** `reason` says why a cached engine cannot be used; it is absent if the cache has none. */
export async function checkEntry(
  cache: string,
  signal?: AbortSignal,
): Promise<{ usable: true } | { usable: false; reason?: string }> {
  const root = entryIn(cache)
  const command = commandIn(root)
  try {
    const manifest = await readManifest(root)
    if (!manifest) return { usable: false }
    if (!(await same(command, manifest))) {
      throw new Error(`${command} has changed since it was cached`)
    }
    if (manifest.version !== engineVersion) throw new Error(`${command} is another version`)
    if (!(await isExecutable(command))) throw new Error(`${command} is not executable`)
    // It is the file that answered with its version when it was cached: it need not start again.
    return { usable: true }
  } catch (cause) {
    signal?.throwIfAborted()
    return { usable: false, reason: `The cached engine is damaged: ${messageOf(cause)}.` }
  }
}

/** Creates a working directory on the cache's file system, and removes those of killed runs. */
export async function openDraft(cache: string) {
  await mkdir(cache, { recursive: true })
  const prefix = `.${engineVersion}-`
  const left = (await readdir(cache)).filter((name) => name.startsWith(prefix))
  await Promise.all(left.map((name) => rm(join(cache, name), { recursive: true, force: true })))
  return mkdtemp(join(cache, prefix))
}

/** Verifies a draft and moves it into the cache in one rename, so that no run sees half an engine. */
export async function putEntry(options: {
  cache: string
  draft: string
  source: "download" | "build"
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}) {
  const { cache, draft, source, env, signal } = options
  const command = commandIn(draft)
  const { version } = await askVersion(command, env, signal)
  if (version !== engineVersion) {
    throw new Error(`The result is Pulumi ${version}, not ${engineVersion}.`)
  }
  const { size, mtimeMs } = await stat(command)
  const manifest: Manifest = {
    version: engineVersion,
    source,
    bytes: size,
    modified: mtimeMs,
    sha256: await sha256(command),
  }
  await writeFile(join(draft, "engine.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  signal.throwIfAborted()
  // A rename cannot replace a directory: a damaged entry is renamed first and then removed.
  await rename(entryIn(cache), `${draft}-damaged`).catch(ignoreMissing)
  await rename(draft, entryIn(cache))
  await rm(`${draft}-damaged`, { recursive: true, force: true })
}

async function readManifest(root: string) {
  const text = await readFile(join(root, "engine.json"), "utf8").catch(ignoreMissing)
  return text === undefined ? undefined : Manifest.parse(JSON.parse(text))
}

/** Computes the hash, which takes a third of a second, only if the file's date has changed. */
async function same(command: string, manifest: Manifest) {
  const { size, mtimeMs } = await stat(command)
  if (size !== manifest.bytes) return false
  return mtimeMs === manifest.modified || (await sha256(command)) === manifest.sha256
}

async function sha256(file: string) {
  const hash = createHash("sha256")
  await pipeline(createReadStream(file), hash)
  return hash.digest("hex")
}

function ignoreMissing(error: unknown) {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
  throw error
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
