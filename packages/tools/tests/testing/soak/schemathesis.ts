import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

import { cachedProgram, pythonProgramMissing } from "../cached-program.ts"

const run = promisify(execFile)
const schemathesis = cachedProgram("schemathesis", "4.32.5")

/** Installs the fuzzer into the user's cache, once. @returns the reason if it cannot run here */
export async function schemathesisMissing(): Promise<string | undefined> {
  if (process.platform !== "linux") return "one client address per request needs Linux's loopback"
  return pythonProgramMissing(schemathesis, [`schemathesis==${schemathesis.version}`])
}

/** @returns exit code and output */
export async function runSchemathesis(directory: string, configuration: string, args: string[]) {
  const file = join(directory, "schemathesis.toml")
  writeFileSync(file, configuration)
  const options = { cwd: directory, maxBuffer: 64 * 1024 * 1024 }
  const cliArgs = ["--config-file", file, "run", ...args]
  try {
    const { stdout, stderr } = await run(
      join(schemathesis.folder, "bin", "schemathesis"),
      cliArgs,
      options,
    )
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = Object(error)
    return { code: Number(code), output: `${stdout}${stderr}` }
  }
}
