import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"

import * as z from "zod"

import { reasonOf } from "./failure.ts"
import { askVersion } from "./installed.ts"
import { engineVersion } from "./version.ts"

/** Written beside the engine when it is put into the cache, to tell later whether it is still that file. */
const Manifest = z.strictObject({
  version: z.string(),
  source: z.enum(["download", "build"]),
  bytes: z.number(),
  modified: z.number(),
  sha256: z.string(),
})

type Manifest = z.infer<typeof Manifest>

/** Outside the repository, so that every clone and every `git clean` shares one. */
export function engineCache(env: NodeJS.ProcessEnv) {
  const home = env["HOME"] ?? homedir()
  const user =
    process.platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache")
  const directory = env["ACCOUNTS_CACHE"] || join(env["XDG_CACHE_HOME"] || user, "accounts")
  return join(directory, "engine")
}

/** Laid out as the Automation API wants an installation: `<root>/bin/pulumi`. */
export function commandIn(root: string) {
  return join(root, "bin", "pulumi")
}

export function entryIn(cache: string) {
  return join(cache, engineVersion)
}

/** Whether the cache holds an engine: the reason it does not is empty when there simply is none. */
export async function checkEntry(
  cache: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<{ usable: true } | { usable: false; reason?: string }> {
  const root = entryIn(cache)
  const command = commandIn(root)
  try {
    const manifest = await readManifest(root)
    if (!manifest) return { usable: false }
    if (!(await same(command, manifest))) throw new Error(`${command} is not what was put there`)
    const version = await askVersion(command, env, signal)
    if (version.version !== engineVersion) {
      throw new Error(`${command} is Pulumi ${version.version}`)
    }
    return { usable: true }
  } catch (cause) {
    signal?.throwIfAborted()
    return { usable: false, reason: `The cached engine is damaged: ${reasonOf(cause)}.` }
  }
}

/** A directory to make an engine in, on the cache's own file system. What a killed run left is removed. */
export async function openDraft(cache: string) {
  await mkdir(cache, { recursive: true })
  const prefix = `.${engineVersion}-`
  const left = (await readdir(cache)).filter((name) => name.startsWith(prefix))
  await Promise.all(left.map((name) => rm(join(cache, name), { recursive: true, force: true })))
  return mkdtemp(join(cache, prefix))
}

/** Verifies a draft and puts it into the cache in one rename: nobody ever sees half an engine. */
export async function putEntry(options: {
  cache: string
  draft: string
  source: "download" | "build"
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}) {
  const { cache, draft, source, env, signal } = options
  const command = commandIn(draft)
  const version = await askVersion(command, env, signal)
  if (version.version !== engineVersion) {
    throw new Error(`The result is Pulumi ${version.version}, not ${engineVersion}.`)
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
  // A directory is not replaced by a rename; a damaged one steps aside under a draft's name.
  await rename(entryIn(cache), `${draft}-damaged`).catch(ignoreMissing)
  await rename(draft, entryIn(cache))
  await rm(`${draft}-damaged`, { recursive: true, force: true })
}

async function readManifest(root: string) {
  const text = await readFile(join(root, "engine.json"), "utf8").catch(ignoreMissing)
  return text === undefined ? undefined : Manifest.parse(JSON.parse(text))
}

/** The hash takes a third of a second, so it is taken only where the file's date leaves a doubt. */
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
