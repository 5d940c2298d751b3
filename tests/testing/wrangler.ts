import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const execute = promisify(execFile)

/** As `bin/wrangler.js` starts it, without the process of its own that only does that. */
const program = [
  "--no-warnings",
  join(import.meta.dirname, "../../node_modules/wrangler/wrangler-dist/cli.js"),
]

type Target = { api: string; token: string; accountId: string }

/** Runs real wrangler against a local Cloudflare, with its own home directory and configuration. */
export function openWrangler(target: Target, config: Record<string, unknown>) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-wrangler-"))
  const path = join(directory, "wrangler.json")
  const write = (changes: Record<string, unknown> = {}) =>
    writeFileSync(path, JSON.stringify({ account_id: target.accountId, ...config, ...changes }))
  write()
  return {
    directory,
    write,
    async run(...args: string[]): Promise<string> {
      const { stdout } = await execute(process.execPath, [...program, ...args, "--config", path], {
        cwd: directory,
        env: {
          PATH: process.env["PATH"],
          // Half a second of each command is the compilation of its 15 MB.
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
          HOME: directory,
          XDG_CONFIG_HOME: directory,
          CI: "1",
          NO_COLOR: "1",
          WRANGLER_SEND_METRICS: "false",
          CLOUDFLARE_API_BASE_URL: target.api,
          CLOUDFLARE_API_TOKEN: target.token,
          CLOUDFLARE_ACCOUNT_ID: target.accountId,
        },
      })
      return stdout
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}
