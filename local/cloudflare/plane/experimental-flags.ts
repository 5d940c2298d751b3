import { execFile } from "node:child_process"
import { mkdtempDisposable, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { workerdPath } from "./miniflare/miniflare-package.ts"

/** Flags of Cloudflare's documentation that need no question. */
const stable = new Set(["nodejs_compat", "nodejs_als", "global_fetch_strictly_public"])

/** Milliseconds; workerd answers in 100. */
const timeout = 30_000

/**
 * The flags that workerd calls experimental. Versions here run with `--experimental`, which other
 * parts of Miniflare need, so a workerd without it is asked.
 */
export async function findExperimentalFlags(flags: string[]): Promise<string[]> {
  const asked = flags.filter((flag) => !stable.has(flag) && /^\w+$/.test(flag))
  if (asked.length === 0) return []
  await using directory = await mkdtempDisposable(join(tmpdir(), "local-cloudflare-flags-"))
  const file = join(directory.path, "flags.capnp")
  await writeFile(file, configOf(asked))
  const printed = await run(["test", file])
  return asked.filter((flag) => printed.includes(`compatibility flag ${flag} is experimental`))
}

function configOf(flags: string[]): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "none.js", esModule = "export default {}")],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = ${JSON.stringify(flags)},
))]);
`
}

/** What workerd prints; that it fails is expected, because a Worker without tests is none. */
function run(parameters: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(workerdPath, parameters, { timeout }, (_, stdout, stderr) => resolve(stdout + stderr))
  })
}
