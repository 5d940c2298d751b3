import { mkdtempDisposableSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { lock } from "proper-lockfile"
import { parse } from "semver"

import { Failure, messageOf } from "../../base/failure.ts"
import { interruptSignal } from "../confirm.ts"
import { downloadEngine, type EngineArchive, engineArchive, engineSite } from "./download.ts"
import { commandIn, engineVersion, isAcceptable } from "./engine-environment.ts"
import { engineProgress, findOnPath, isExecutable, type OnProgress, run } from "./executable.ts"

export type Engine = {
  /** Absolute path of the `pulumi` executable. */
  command: string
  version: string
  source: "option" | "path" | "cache" | "download" | "build"
}

/** A command that a go.mod lists as a tool; go.mod and go.sum pin its source by hash. */
export type GoTool = {
  /** Directory of the go.mod. */
  module: string
  package: string
  /** The linker sets this variable; without it the engine reports 3.0.0-dev and fails version checks. */
  versionVariable: string
}

export const engineTool: GoTool = {
  module: join(import.meta.dirname, "go"),
  package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  versionVariable: "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version",
}

type Search = {
  env: NodeJS.ProcessEnv
  onProgress: OnProgress
  signal: AbortSignal
  site: URL
  archive: EngineArchive | undefined
  tool: GoTool
  /** Outside the repository: every clone uses it, and it survives `git clean`. */
  cache: string
  /** The cached engine, if its file exists: a draft is verified before it is renamed to it. */
  cached: Pick<Engine, "command" | "version">
}

/**
 * Finds Pulumi's engine by the given path, on PATH or in the cache; otherwise downloads or builds it
 * once and keeps it.
 *
 * @throws Failure if the given engine cannot be used, or if every source fails
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
  using interrupt = interruptSignal(
    "The compiled packages are kept: the next run continues from there.",
  )
  const { signal } = interrupt
  const cache = engineCache(env)
  const cached = { command: commandIn(join(cache, engineVersion)), version: engineVersion }
  const search = { env, onProgress, signal, site, archive, tool, cache, cached }
  const path = enginePath ?? env["ACCOUNTS_ENGINE"]
  try {
    if (!path) return await firstEngine(search)
    const command = resolve(path)
    return { command, version: await installedVersion(search, command), source: "option" }
  } catch (cause) {
    signal.throwIfAborted()
    if (!path) throw cause
    const setting = enginePath ? "--engine" : "ACCOUNTS_ENGINE"
    throw new Failure(
      "COMMAND_FAILED",
      `${setting}: ${messageOf(cause)}\nName the executable of pulumi ${engineVersion} or newer, or leave ${setting} out.`,
      { cause },
    )
  } finally {
    onProgress()
  }
}

/** Tries existing engines, then downloads or builds one. */
async function firstEngine(search: Search): Promise<Engine> {
  const { env, cache, cached, onProgress, signal } = search
  const reasons = { path: "There is no pulumi on PATH.", download: "", build: "" }
  const explain = (source: keyof typeof reasons, cause: unknown) => {
    signal.throwIfAborted()
    reasons[source] = messageOf(cause)
    onProgress(reasons[source])
  }
  const command = await findOnPath("pulumi", env)
  if (command) {
    try {
      return { command, version: await installedVersion(search, command), source: "path" }
    } catch (cause) {
      explain("path", cause)
    }
  }
  if (await isExecutable(cached.command)) return { ...cached, source: "cache" }
  await using _lock = await lockCache({
    directory: cache,
    name: engineVersion,
    signal,
    onWait: () => onProgress("Waiting for another process that is getting the Pulumi engine"),
  })
  // The previous holder of the lock may have added it.
  if (await isExecutable(cached.command)) return { ...cached, source: "cache" }
  for (const source of ["download", "build"] as const) {
    try {
      await addToCache(search, source)
      return { ...cached, source }
    } catch (cause) {
      explain(source, cause)
    }
  }
  const indented = (reason: string) => `     ${reason.replaceAll("\n", "\n     ")}`
  const lines = [
    `No Pulumi engine is available. Do one of the following, then run the same command again:`,
    `  1. Install pulumi ${engineVersion} or newer and put it on PATH, or pass --engine PATH (or set ACCOUNTS_ENGINE).`,
    indented(reasons.path),
    `  2. Connect to the internet: the engine is downloaded once and kept.`,
    indented(reasons.download),
    `  3. Install Go 1.21 or newer: the engine is built once from its published modules, in about seven minutes.`,
    indented(reasons.build),
  ]
  throw new Failure("COMMAND_FAILED", lines.join("\n"))
}

/** Creates a draft, verifies it, and renames it, so that no run sees half an engine. */
async function addToCache(search: Search, source: "download" | "build"): Promise<void> {
  const { cache, signal, site, archive, onProgress } = search
  const entry = join(cache, engineVersion)
  const prefix = `.${engineVersion}-`
  for (const name of await readdir(cache)) {
    // Removes what a killed run left.
    if (name.startsWith(prefix)) await rm(join(cache, name), { recursive: true, force: true })
  }
  const draft = await mkdtemp(join(cache, prefix))
  try {
    await (source === "build"
      ? build(search, draft)
      : downloadEngine({ root: draft, site, archive, signal, onProgress }))
    onProgress("Verifying the engine")
    const version = String(await readVersion(search, commandIn(draft)))
    if (version !== engineVersion) {
      throw new Error(`The result is Pulumi ${version}, not ${engineVersion}.`)
    }
    signal.throwIfAborted()
    // A rename cannot replace a directory, and this one may have an engine that is not executable.
    await rm(entry, { recursive: true, force: true })
    await rename(draft, entry)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * Builds the engine if GitHub and get.pulumi.com cannot be reached but Go's module proxy can.
 * @throws Error with the compiler's output
 */
async function build({ tool, env, signal, onProgress }: Search, draft: string): Promise<void> {
  const go = await findOnPath("go", env)
  if (!go) throw new Error("There is no go on PATH.")
  onProgress(`Building the Pulumi engine ${engineVersion}, once, about seven minutes on two cores`)
  // An interrupted Go leaves its working directory behind.
  const work = join(draft, "work")
  await mkdir(work, { recursive: true })
  const linked = `-ldflags=-s -w -X ${tool.versionVariable}=${engineVersion}`
  const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", linked]
  try {
    await run({
      command: go,
      args: ["build", ...flags, "-o", commandIn(draft), tool.package],
      cwd: tool.module,
      // Makes the build reproducible: no C compiler and no outer workspace change its bytes.
      env: { ...env, CGO_ENABLED: "0", GOWORK: "off", GOTMPDIR: work },
      signal,
    })
  } catch (cause) {
    throw new Error(`The build with ${go} failed:\n${messageOf(cause)}`, { cause })
  }
  await rm(work, { recursive: true, force: true })
}

function engineCache(env: NodeJS.ProcessEnv): string {
  const home = env["HOME"] ?? homedir()
  const user =
    process.platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache")
  const directory = env["ACCOUNTS_CACHE"] || join(env["XDG_CACHE_HOME"] || user, "accounts")
  return join(directory, "engine")
}

/** @throws Error with the reason if the engine cannot be used or is too old */
async function installedVersion(search: Search, command: string): Promise<string> {
  if (!(await isExecutable(command))) throw new Error(`${command} is not an executable file.`)
  // The cached engine was verified already, so it is not started.
  if (command === search.cached.command) return engineVersion
  const version = await readVersion(search, command)
  if (isAcceptable(version)) return version.version
  throw new Error(
    `${command} is Pulumi ${version.version}; ${engineVersion} or newer of the same major is needed.`,
  )
}

/** Timeout (ms): some commands named `pulumi` first download an engine. */
const versionTimeout = 30_000

/** @throws Error with the reason if `pulumi version` prints no version within 30 seconds */
async function readVersion({ env, signal }: Pick<Search, "env" | "signal">, command: string) {
  // Even `pulumi version` writes a log into its home, which must not be the user's.
  using home = mkdtempDisposableSync(join(tmpdir(), "accounts-engine-"))
  try {
    const output = await run({
      command,
      args: ["version"],
      env: { ...env, PULUMI_HOME: home.path, PULUMI_SKIP_UPDATE_CHECK: "1" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(versionTimeout)]),
    })
    const version = parse(output.trim())
    if (version) return version
    throw new Error(`it prints ${JSON.stringify(output.slice(0, 80))}`)
  } catch (cause) {
    throw new Error(`\`${command} version\` does not print a version: ${messageOf(cause)}`, {
      cause,
    })
  }
}

/** A holder that has not touched its lock for this long is dead, or its machine slept (ms). */
const staleTimeout = 15_000
const pollInterval = 500

/** Locks `name` in a directory against every other process of this machine until it is disposed. */
export async function lockCache(options: {
  directory: string
  name: string
  signal: AbortSignal
  onWait: () => void
}): Promise<AsyncDisposable> {
  const { directory, name, signal, onWait } = options
  await mkdir(directory, { recursive: true })
  for (let isFirst = true; ; isFirst = false) {
    try {
      const release = await lock(directory, {
        lockfilePath: `${directory}/${name}.lock`,
        stale: staleTimeout,
        // After a sleep of this machine two processes may do the same work.
        onCompromised: () => {},
      })
      return { [Symbol.asyncDispose]: () => release().catch(() => {}) }
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ELOCKED")) throw error
    }
    if (isFirst) onWait()
    await sleep(pollInterval, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}
