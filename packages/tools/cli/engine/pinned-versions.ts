import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { parse, satisfies, type SemVer } from "semver"

import { messageOf } from "../../base/failure.ts"
import { isExecutable, run } from "./executable.ts"

/** The engine that is downloaded or built. package.json and go/go.mod pin the same version. */
export const engineVersion = "3.259.0"

/** The provider plugin that the pinned `@pulumi/cloudflare` requires. */
export const providerVersion = "6.22.1"

/** An installed engine may be newer, within the same major version. */
export function isAcceptable(version: SemVer) {
  return satisfies(version, `^${engineVersion}`, { includePrerelease: true })
}

/** Some commands called pulumi only download one (ms). */
const versionTimeout = 30_000

/** @throws Error with the reason if the engine cannot be used or is too old */
export async function installedVersion(
  command: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
) {
  if (!(await isExecutable(command))) throw new Error(`${command} is not an executable file.`)
  const version = await askVersion(command, env, signal)
  if (isAcceptable(version)) return version.version
  throw new Error(
    `${command} is Pulumi ${version.version}; ${engineVersion} or newer of the same major is needed.`,
  )
}

/** @throws Error with the reason if `pulumi version` prints no version within 30 seconds */
export async function askVersion(
  command: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<SemVer> {
  // Even `pulumi version` writes a log into its home, which must not be the user's.
  using home = mkdtempDisposableSync(join(tmpdir(), "accounts-engine-"))
  const limit = AbortSignal.timeout(versionTimeout)
  try {
    const output = await run({
      command,
      args: ["version"],
      env: { ...env, PULUMI_HOME: home.path, PULUMI_SKIP_UPDATE_CHECK: "1" },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    const version = parse(output.trim())
    if (version) return version
    throw new Error(`it prints ${JSON.stringify(output.slice(0, 80))}`)
  } catch (cause) {
    signal?.throwIfAborted()
    throw new Error(`\`${command} version\` does not print a version: ${messageOf(cause)}`, {
      cause,
    })
  }
}
