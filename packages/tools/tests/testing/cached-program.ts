import { execFile } from "node:child_process"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { lockCache } from "../../cli/engine/engine.ts"

const run = promisify(execFile)
const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "accounts")

/** A foreign program, and its folder in the user's cache. */
export function cachedProgram(name: string, version: string) {
  const folder = join(cache, `${name}-${version}`)
  return { name, version, folder, finished: join(folder, "installed") }
}

type CachedProgram = ReturnType<typeof cachedProgram>

/** Installs a program from PyPI once. @param packages as `pip install` takes them */
export function pythonProgramMissing(program: CachedProgram, packages: readonly string[]) {
  return programMissing(program, async (folder) => {
    await run("python3", ["-m", "venv", folder])
    const quiet = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    await run(join(folder, "bin", "pip"), [...quiet, ...packages])
  })
}

/** Installs a program of a Go module once. @param path of its package */
export function goProgramMissing(program: CachedProgram, path: string) {
  return programMissing(program, async (folder) => {
    const env = { ...process.env, GOBIN: join(folder, "bin") }
    await run("go", ["install", `${path}@v${program.version}`], { env })
  })
}

/** Installs a program from npm once. @param beside what it expects beside it, and versions of what it depends on */
export function nodeProgramMissing(
  program: CachedProgram,
  beside: { dependencies?: Record<string, string>; overrides?: Record<string, string> },
) {
  return programMissing(program, async (folder) => {
    const { name, version } = program
    mkdirSync(folder, { recursive: true })
    const dependencies = { [name]: version, ...beside.dependencies }
    const manifest = { ...beside, private: true, dependencies }
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"]
    await run("npm", ["install", ...quiet], { cwd: folder })
  })
}

/**
 * Processes that ask at the same time wait for the first of them.
 * @returns the reason if it cannot be installed
 */
async function programMissing(
  { name, version, folder, finished }: CachedProgram,
  install: (folder: string) => Promise<unknown>,
): Promise<string | undefined> {
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
    await install(folder)
    writeFileSync(finished, "")
    return undefined
  } catch (error) {
    const line = String(error)
      .split("\n")
      .find((each) => /error|ENOENT/i.test(each))
    return `${name} ${version} cannot be installed: ${line ?? String(error)}`
  }
}
