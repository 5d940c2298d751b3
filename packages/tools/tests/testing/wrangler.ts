import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { wranglerEnvironment } from "@accounts-stack/local/cloudflare/testing/wrangler"
import { runWrangler } from "@accounts-stack/local/cloudflare/testing/wrangler-process"

type Target = { api: string; token: string; accountId: string }

/** Real wrangler against a local Cloudflare, with a home directory of its own. */
export function startSharedWrangler(target: Target) {
  const home = mkdtempSync(join(tmpdir(), "accounts-wrangler-"))
  const env = wranglerEnvironment(home, target)
  return {
    /** A directory with a configuration, and commands that read it. */
    open(config: Record<string, unknown>) {
      const directory = mkdtempSync(join(tmpdir(), "accounts-wrangler-"))
      const path = join(directory, "wrangler.json")
      const write = (changes: Record<string, unknown> = {}) =>
        writeFileSync(path, JSON.stringify({ account_id: target.accountId, ...config, ...changes }))
      write()
      return {
        directory,
        write,
        /** @returns stdout @throws Error with stderr */
        async run(...args: string[]): Promise<string> {
          const command = { cwd: home, env, args: [...args, "--config", path], stdin: "" }
          const { code, stdout, stderr } = await runWrangler(command)
          if (code === 0) return stdout
          throw new Error(`wrangler ${args.join(" ")} exited with ${code}:\n${stderr}`)
        },
        [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
      }
    },
    async [Symbol.asyncDispose]() {
      // A wrangler that was stopped may still be writing its log.
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** As above, for one configuration. */
export function openWrangler(target: Target, config: Record<string, unknown>) {
  const shared = startSharedWrangler(target)
  const { [Symbol.dispose]: remove, ...wrangler } = shared.open(config)
  return {
    ...wrangler,
    async [Symbol.asyncDispose]() {
      await shared[Symbol.asyncDispose]()
      remove()
    },
  }
}
