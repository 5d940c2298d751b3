import { rm } from "node:fs/promises"
import { resolve } from "node:path"

import { Failure, messageOf } from "../../base/failure.ts"
import { interruptSignal } from "../confirm.ts"
import { type GoTool, buildEngine, engineTool } from "./build.ts"
import {
  commandIn,
  engineCache,
  entryIn,
  hasEntry,
  lockCache,
  openDraft,
  putEntry,
} from "./cache.ts"
import { downloadEngine, type EngineArchive, engineArchive, engineSite } from "./download.ts"
import { engineVersion, installedVersion } from "./engine-environment.ts"
import { findOnPath, isExecutable } from "./executable.ts"
import { engineProgress, type OnProgress } from "./pulumi-home.ts"

type EngineSource = "option" | "path" | "cache" | "download" | "build"

export type Engine = {
  /** Absolute path of the `pulumi` executable. */
  command: string
  version: string
  source: EngineSource
}

type Search = {
  env: NodeJS.ProcessEnv
  cache: string
  onProgress: OnProgress
  signal: AbortSignal
  site: URL
  archive: EngineArchive | undefined
  tool: GoTool
}

/**
 * Finds Pulumi's engine by the given path, on PATH or in the cache; otherwise downloads or builds it
 * once and keeps it.
 *
 * @throws Failure if the engine at the given path cannot be used
 * @throws Failure if every source fails
 * @throws Failure INTERRUPTED on SIGINT, SIGTERM or SIGHUP
 */
export async function findEngine(options: {
  enginePath?: string | undefined
  env?: NodeJS.ProcessEnv
  onProgress?: OnProgress
  site?: URL
  archive?: EngineArchive | undefined
  tool?: GoTool
}): Promise<Engine> {
  const { enginePath, env = process.env, onProgress = engineProgress() } = options
  const { site = engineSite, archive = engineArchive(), tool = engineTool } = options
  const interruptNote = "The compiled packages are kept: the next run continues from there."
  using interrupt = interruptSignal(interruptNote)
  const { signal } = interrupt
  const search: Search = { env, cache: engineCache(env), onProgress, signal, site, archive, tool }

  try {
    return (await engineAtPath(search, enginePath)) ?? (await firstEngine(search))
  } finally {
    onProgress()
  }
}

/** Tries what exists, then what can be created, and keeps the reason of each source that fails. */
async function firstEngine(search: Search) {
  const refusals: Refusal[] = []
  const refuse = (source: EngineSource, cause: unknown) => {
    search.signal.throwIfAborted()
    const reason = messageOf(cause)
    refusals.push({ source, reason })
    search.onProgress(reason)
  }

  const command = await findOnPath("pulumi", search.env)
  // Not reported as progress: most people have no pulumi on PATH. One that cannot be used is reported.
  if (!command) refusals.push({ source: "path", reason: "There is no pulumi on PATH." })
  if (command) {
    try {
      return await describe(search, { command, source: "path" })
    } catch (cause) {
      refuse("path", cause)
    }
  }
  if (await hasEntry(search.cache)) return entryEngine(search.cache, "cache")
  return createEngine(search, { refusals, refuse })
}

async function engineAtPath(search: Search, enginePath: string | undefined) {
  const path = enginePath ?? search.env["ACCOUNTS_ENGINE"]
  if (!path) return undefined
  const command = resolve(path)
  try {
    return await describe(search, { command, source: "option" })
  } catch (cause) {
    search.signal.throwIfAborted()
    const setting = enginePath ? "--engine" : "ACCOUNTS_ENGINE"
    throw new Failure(
      "COMMAND_FAILED",
      `${setting}: ${messageOf(cause)}\nName the executable of pulumi ${engineVersion} or newer, or leave ${setting} out.`,
      { cause },
    )
  }
}

async function describe(
  { env, cache, signal }: Search,
  { command, source }: Pick<Engine, "command" | "source">,
): Promise<Engine> {
  // The version of that of the cache is known without a start of it.
  if (command === commandIn(entryIn(cache)) && (await isExecutable(command))) {
    return entryEngine(cache, source)
  }
  const version = await installedVersion(command, env, signal)
  return { command, version, source }
}

function entryEngine(cache: string, source: EngineSource): Engine {
  return { command: commandIn(entryIn(cache)), version: engineVersion, source }
}

async function createEngine(
  search: Search,
  ways: { refusals: Refusal[]; refuse: (source: EngineSource, cause: unknown) => void },
): Promise<Engine> {
  const { cache, onProgress } = search
  await using cacheLock = await lockCache({
    directory: cache,
    name: engineVersion,
    signal: search.signal,
    onWait: () => onProgress("Waiting for another process that is getting the Pulumi engine"),
  })
  const locked = { ...search, signal: AbortSignal.any([search.signal, cacheLock.lost]) }
  // The previous holder of the lock may have added it.
  if (await hasEntry(cache)) return entryEngine(cache, "cache")

  for (const source of ["download", "build"] as const) {
    try {
      await createBy(source, locked)
      return entryEngine(cache, source)
    } catch (cause) {
      ways.refuse(source, cause)
    }
  }
  throw engineUnavailable(ways.refusals)
}

async function createBy(source: "download" | "build", search: Search) {
  const { cache, env, signal, site, archive, tool, onProgress } = search
  const draft = await openDraft(cache)
  const build = async () => {
    onProgress(
      `Building the Pulumi engine ${engineVersion}, once, about seven minutes on two cores`,
    )
    await buildEngine({ tool, output: commandIn(draft), env, signal })
  }
  try {
    await (source === "download"
      ? downloadEngine({
          root: draft,
          site,
          archive,
          signal,
          onReachable: () => onProgress(`Downloading the Pulumi engine ${engineVersion}`),
        })
      : build())
    onProgress("Verifying the engine")
    await putEntry({ cache, draft, env, signal })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

type Refusal = { source: EngineSource; reason: string }

/** The message lists what would help, each with the reason why it failed here. */
function engineUnavailable(refusals: Refusal[]): Failure {
  const why = (...sources: EngineSource[]) =>
    refusals
      .filter(({ source }) => sources.includes(source))
      .map(({ reason }) => `     ${reason.replaceAll("\n", "\n     ")}`)

  const lines = [
    `No Pulumi engine is available. Do one of the following, then run the same command again:`,
    `  1. Install pulumi ${engineVersion} or newer and put it on PATH, or pass --engine PATH (or set ACCOUNTS_ENGINE).`,
    ...why("path"),
    `  2. Connect to the internet: the engine is downloaded once and kept.`,
    ...why("download"),
    `  3. Install Go 1.21 or newer: the engine is built once from its published modules, in about seven minutes.`,
    ...why("build"),
  ]
  return new Failure("COMMAND_FAILED", lines.join("\n"))
}
