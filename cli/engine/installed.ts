import { constants } from "node:fs"
import { access, mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"

import { type SemVer, parse } from "semver"

import { reasonOf } from "./failure.ts"
import { run } from "./process-group.ts"
import { acceptable, engineVersion } from "./version.ts"

const versionMilliseconds = 30_000

export async function findOnPath(name: string, env: NodeJS.ProcessEnv) {
  for (const directory of (env["PATH"] ?? "").split(delimiter)) {
    const file = resolve(directory, name)
    if (directory && (await executable(file))) return file
  }
  return undefined
}

/** The version of an engine that is new enough; throws an error with the reason otherwise. */
export async function installedVersion(
  command: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
) {
  if (!(await executable(command))) throw new Error(`${command} is not an executable file.`)
  const version = await askVersion(command, env, signal)
  if (acceptable(version)) return version.version
  throw new Error(
    `${command} is Pulumi ${version.version}; ${engineVersion} or newer of the same major is needed.`,
  )
}

/** What `pulumi version` says. Fails within 30 seconds: some commands called pulumi only download one. */
export async function askVersion(
  command: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<SemVer> {
  // Even `pulumi version` writes a log into its home, and the user's is not ours to write to.
  const home = await mkdtemp(join(tmpdir(), "accounts-engine-"))
  const limit = AbortSignal.timeout(versionMilliseconds)
  try {
    const output = await run({
      command,
      args: ["version"],
      env: { ...env, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "1" },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    const version = parse(output.trim())
    if (version) return version
    throw new Error(`it says ${JSON.stringify(output.slice(0, 80))}`)
  } catch (cause) {
    signal?.throwIfAborted()
    throw new Error(`\`${command} version\` does not tell a version: ${reasonOf(cause)}`, { cause })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function executable(file: string) {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
