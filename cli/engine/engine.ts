import { createHash } from "node:crypto"
import { mkdir, rm, symlink } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

import { type GoTool, buildEngine, engineTool } from "./build.ts"
import { checkEntry, commandIn, engineCache, entryIn, openDraft, putEntry } from "./cache.ts"
import { downloadEngine, pulumiSite } from "./download.ts"
import { EngineRefused, EngineUnavailable, type Refusal, reasonOf } from "./failure.ts"
import { findOnPath, installedVersion } from "./installed.ts"
import { interruptSignal } from "./interrupt.ts"
import { hold } from "./lock.ts"
import { type EngineSource, type OnProgress } from "./progress.ts"
import { engineVersion } from "./version.ts"

export type Engine = {
  /** Absolute path of the `pulumi` executable. */
  command: string
  /** What `PulumiCommand.get({ root })` of the Automation API takes: `<root>/bin/pulumi` is the engine. */
  root: string
  version: string
  source: EngineSource
}

type Search = {
  env: NodeJS.ProcessEnv
  cache: string
  onProgress: OnProgress
  signal: AbortSignal
  site: URL
  tool: GoTool
}

/**
 * Finds Pulumi's engine, or gets it once and keeps it: asked for by path, on PATH, in the cache,
 * downloaded, built.
 *
 * @throws EngineRefused the engine asked for cannot be used
 * @throws EngineUnavailable there is none and none can be had
 * @throws EngineInterrupted SIGINT, SIGTERM or SIGHUP came while one was being made
 */
export async function findEngine(options: {
  enginePath?: string | undefined
  env?: NodeJS.ProcessEnv
  onProgress?: OnProgress
  signal?: AbortSignal
  site?: URL
  tool?: GoTool
}): Promise<Engine> {
  const { enginePath, env = process.env, onProgress = () => {} } = options
  const { site = pulumiSite, tool = engineTool } = options
  using interrupt = interruptSignal(options.signal)
  const { signal } = interrupt
  const search: Search = { env, cache: engineCache(env), onProgress, signal, site, tool }

  try {
    return (await askedFor(search, enginePath)) ?? (await firstOf(search))
  } finally {
    onProgress({ phase: "done" })
  }
}

/** What is there, then what can be made, with the reason kept for each way that led nowhere. */
async function firstOf(search: Search) {
  const refusals: Refusal[] = []
  const refuse = (source: EngineSource, cause: unknown) => {
    search.signal.throwIfAborted()
    const reason = reasonOf(cause)
    refusals.push({ source, reason })
    search.onProgress({ phase: "skipped", source, reason })
  }

  const command = await findOnPath("pulumi", search.env)
  // Never having installed one is no news to report; one that cannot be used is.
  if (!command) refusals.push({ source: "path", reason: "There is no pulumi on PATH." })
  if (command) {
    try {
      return await describe(search, { command, source: "path" })
    } catch (cause) {
      refuse("path", cause)
    }
  }
  const { cache, env, signal } = search
  const entry = await checkEntry(cache, env, signal)
  if (entry.usable) return entryEngine(cache, "cache")
  if (entry.reason) refuse("cache", entry.reason)
  return make(search, { refusals, refuse })
}

async function askedFor(search: Search, enginePath: string | undefined) {
  const path = enginePath ?? search.env["ACCOUNTS_ENGINE"]
  if (!path) return undefined
  const command = resolve(path)
  try {
    return await describe(search, { command, source: "option" })
  } catch (cause) {
    search.signal.throwIfAborted()
    throw new EngineRefused(enginePath ? "--engine" : "ACCOUNTS_ENGINE", cause)
  }
}

async function describe(
  { env, cache, signal }: Search,
  { command, source }: Pick<Engine, "command" | "source">,
): Promise<Engine> {
  const version = await installedVersion(command, env, signal)
  return { command, root: await rootOf(command, cache), version, source }
}

/** An installation has its engine in `bin/pulumi`; one that lies elsewhere gets a directory that has. */
async function rootOf(command: string, cache: string) {
  const root = dirname(dirname(command))
  if (command === commandIn(root)) return root
  const link = join(cache, "link", createHash("sha256").update(command).digest("hex").slice(0, 16))
  await mkdir(join(link, "bin"), { recursive: true })
  await symlink(command, commandIn(link)).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  })
  return link
}

function entryEngine(cache: string, source: EngineSource): Engine {
  const root = entryIn(cache)
  return { command: commandIn(root), root, version: engineVersion, source }
}

async function make(
  search: Search,
  ways: { refusals: Refusal[]; refuse: (source: EngineSource, cause: unknown) => void },
): Promise<Engine> {
  const { cache, onProgress } = search
  await using held = await hold({
    directory: cache,
    name: engineVersion,
    signal: search.signal,
    onWait: () => onProgress({ phase: "waiting" }),
  })
  const locked = { ...search, signal: AbortSignal.any([search.signal, held.lost]) }
  // Whoever held the lock before may just have put it there.
  const entry = await checkEntry(cache, search.env, search.signal)
  if (entry.usable) return entryEngine(cache, "cache")

  for (const source of ["download", "build"] as const) {
    try {
      await makeBy(source, locked)
      return entryEngine(cache, source)
    } catch (cause) {
      ways.refuse(source, cause)
    }
  }
  throw new EngineUnavailable(ways.refusals)
}

async function makeBy(source: "download" | "build", search: Search) {
  const { cache, env, signal, site, tool, onProgress } = search
  const draft = await openDraft(cache)
  try {
    await (source === "download"
      ? downloadEngine({
          root: draft,
          site,
          env,
          signal,
          onReachable: () => onProgress({ phase: "downloading" }),
        })
      : buildEngine({ tool, output: commandIn(draft), env, signal, onProgress }))
    onProgress({ phase: "verifying" })
    await putEntry({ cache, draft, source, env, signal })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
