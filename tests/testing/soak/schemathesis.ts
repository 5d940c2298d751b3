import { execFile } from "node:child_process"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const version = "4.32.5"
const run = promisify(execFile)
const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache")
const environment = join(cache, "accounts", `schemathesis-${version}`)
const program = join(environment, "bin", "schemathesis")
const finished = join(environment, "installed")

/** Installs the fuzzer into the user's cache, once. @returns the reason if it cannot run here */
export async function schemathesisMissing(): Promise<string | undefined> {
  if (process.platform !== "linux") return "one client address per request needs Linux's loopback"
  if (existsSync(finished)) return undefined
  try {
    rmSync(environment, { recursive: true, force: true })
    mkdirSync(join(cache, "accounts"), { recursive: true })
    await run("python3", ["-m", "venv", environment])
    const pip = join(environment, "bin", "pip")
    await run(pip, [
      "install",
      "--quiet",
      "--disable-pip-version-check",
      `schemathesis==${version}`,
    ])
    writeFileSync(finished, "")
    return undefined
  } catch (error) {
    const line = String(error)
      .split("\n")
      .find((each) => /error|ENOENT/i.test(each))
    return `schemathesis ${version} cannot be installed: ${line ?? String(error)}`
  }
}

/** @returns exit code and output */
export async function runSchemathesis(directory: string, configuration: string, args: string[]) {
  const file = join(directory, "schemathesis.toml")
  writeFileSync(file, configuration)
  const options = { cwd: directory, maxBuffer: 64 * 1024 * 1024 }
  const all = ["--config-file", file, "run", ...args]
  try {
    const { stdout, stderr } = await run(program, all, options)
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = Object(error)
    return { code: Number(code), output: `${stdout}${stderr}` }
  }
}
