import { execFile } from "node:child_process"
import { symlinkSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

import type { LocalCloudflare } from "@accounts/local/cloudflare/testing/local-cloudflare"
import { temporaryDirectory } from "@accounts/local/daemon/testing/temporary-directory"

import { cachedProgram, nodeProgramMissing } from "./cached-program.ts"

const execute = promisify(execFile)
const alchemy = cachedProgram("alchemy", "0.94.0")

/** Installs it once. With the wrangler of its own Miniflare: a later one brings a second workerd. */
export function alchemyMissing(): Promise<string | undefined> {
  return nodeProgramMissing(alchemy, { overrides: { wrangler: "4.110.0" } })
}

/** Its program is written in its own words, and reads what changes between two runs from `settings`. */
export async function alchemyProject({ cloudflare, files }: Options) {
  const directory = await temporaryDirectory()
  for (const [name, content] of Object.entries(files)) {
    const file = join(directory.path, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
  symlinkSync(join(alchemy.folder, "node_modules"), join(directory.path, "node_modules"))
  const environment = {
    PATH: process.env["PATH"],
    HOME: directory.path,
    NO_COLOR: "1",
    DO_NOT_TRACK: "1",
    ALCHEMY_TELEMETRY_DISABLED: "1",
    // Its state lies beside the program.
    ALCHEMY_CI_STATE_STORE_CHECK: "false",
    CLOUDFLARE_BASE_URL: cloudflare.api,
    CLOUDFLARE_ACCOUNT_ID: cloudflare.accountId,
    CLOUDFLARE_API_TOKEN: cloudflare.token,
  }
  return {
    /** @returns what the program prints @throws Error with the whole output */
    async run(settings: Record<string, unknown>): Promise<string> {
      const env = { ...environment, SETTINGS: JSON.stringify(settings) }
      const { stdout } = await execute(process.execPath, ["--no-warnings", "alchemy.run.mjs"], {
        cwd: directory.path,
        env,
      })
      return stdout
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

type Options = {
  cloudflare: Pick<LocalCloudflare, "api" | "accountId" | "token">
  files: Record<string, string>
}
