import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { type SemVer, parse } from "semver"

import { messageOf } from "../../base/failure.ts"
import { isExecutable } from "./find-on-path.ts"
import { isAcceptable, engineVersion } from "./pinned-versions.ts"
import { run } from "./process-group.ts"

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
