import { execFile } from "node:child_process"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { lockCache } from "../../cli/engine/cache-lock.ts"

const run = promisify(execFile)
const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "accounts")

/** A program that comes as a Python package, and its folder in the user's cache. */
export function pythonProgram(name: string, version: string) {
  const folder = join(cache, `${name}-${version}`)
  return { name, version, folder, finished: join(folder, "installed") }
}

/**
 * Installs it once. Processes that ask at the same time wait for the first of them.
 *
 * @param packages as `pip install` takes them
 * @returns the reason if it cannot be installed
 */
export async function pythonProgramMissing(
  program: ReturnType<typeof pythonProgram>,
  packages: readonly string[],
): Promise<string | undefined> {
  const { name, version, folder, finished } = program
  if (existsSync(finished)) return undefined
  try {
    await using _lock = await lockCache({
      directory: cache,
      name: `${name}-${version}`,
      signal: AbortSignal.timeout(300_000),
      onWait: () => undefined,
    })
    if (existsSync(finished)) return undefined
    rmSync(folder, { recursive: true, force: true })
    await run("python3", ["-m", "venv", folder])
    const quiet = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    await run(join(folder, "bin", "pip"), [...quiet, ...packages])
    writeFileSync(finished, "")
    return undefined
  } catch (error) {
    const line = String(error)
      .split("\n")
      .find((each) => /error|ENOENT/i.test(each))
    return `${name} ${version} cannot be installed: ${line ?? String(error)}`
  }
}
