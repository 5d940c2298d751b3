import { mkdir, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"
import type { LocalCloudflare } from "./local-cloudflare.ts"
import { runWrangler } from "./wrangler-process.ts"

type Options = {
  cloudflare: Pick<LocalCloudflare, "api" | "accountId" | "token">
  /** The content of `wrangler.json`: wrangler refuses to run without a configuration file. */
  config: Record<string, unknown>
  files: Record<string, string>
}

/** Environment with which wrangler reaches a local Cloudflare, with its own home directory. */
export function wranglerEnvironment(
  home: string,
  { api, token, accountId }: Options["cloudflare"],
): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    // Half a second of each command is the compilation of its 15 MB.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    HOME: home,
    TMPDIR: tmpdir(),
    XDG_CONFIG_HOME: home,
    CI: "1",
    NO_COLOR: "1",
    WRANGLER_SEND_METRICS: "false",
    CLOUDFLARE_API_BASE_URL: api,
    CLOUDFLARE_ACCOUNT_ID: accountId,
    CLOUDFLARE_API_TOKEN: token,
  }
}

/** The real wrangler in a temporary directory, apart from this repository and the user's home. */
export async function wranglerProject({ cloudflare, config, files }: Options) {
  const directory = await temporaryDirectory()
  const contents = { ...files, "wrangler.json": JSON.stringify(config) }
  for (const [name, content] of Object.entries(contents)) {
    const file = join(directory.path, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
  const environment = wranglerEnvironment(directory.path, cloudflare)

  return {
    directory: directory.path,
    environment,
    /** @returns stdout @throws Error with the whole output */
    async run(args: string[], stdin = "") {
      const command = { cwd: directory.path, env: environment, args, stdin }
      const { code, stdout, stderr } = await runWrangler(command)
      if (code === 0) return stdout
      throw new Error(`wrangler ${args.join(" ")}\n${stdout}\n${stderr}`)
    },
    read: (name: string) => readFile(join(directory.path, name), "utf8"),
    write: (name: string, content: string) => writeFile(join(directory.path, name), content),
    /** Replaces its configuration, for commands to come: loading wrangler again takes over a second. */
    configure: (changed: Record<string, unknown>) =>
      writeFile(join(directory.path, "wrangler.json"), JSON.stringify(changed)),
    async [Symbol.asyncDispose]() {
      await directory[Symbol.asyncDispose]()
    },
  }
}
