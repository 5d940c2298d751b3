import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { providerVersion } from "./pinned-versions.ts"
import { shellQuote } from "./shell-quote.ts"

/** The folder and the file name that the engine looks for. */
export const pluginFolder = `resource-cloudflare-v${providerVersion}`
export const pluginFile = "pulumi-resource-cloudflare"

/** This file marks a plugin folder as the stand-in's. */
const note = "stand-in.txt"

export function isStandIn(plugin: string) {
  return existsSync(join(plugin, note))
}

/**
 * Writes a plugin where the engine looks for Pulumi's own provider. It starts `packages/local/provider` of this
 * checkout by its path, so it is written again when the checkout has moved.
 */
export async function writeStandIn({ home, repository }: { home: string; repository: string }) {
  const plugin = join(home, "plugins", pluginFolder)
  await mkdir(plugin, { recursive: true })
  const own = join(repository, "node_modules", ".bin", "node")
  const node = existsSync(own) ? own : process.execPath
  const main = join(repository, "packages", "local", "provider", "main.js")
  await put(join(plugin, note), {
    mode: 0o644,
    content: [
      "Accounts' stand-in for Pulumi's Cloudflare provider, used where the official plugin is not available.",
      "It works with the local Cloudflare only. Set ACCOUNTS_PROVIDER=official to use the official plugin.",
      "",
    ].join("\n"),
  })
  await put(join(plugin, pluginFile), {
    mode: 0o755,
    content: `#!/bin/sh\nexec ${shellQuote(node)} ${shellQuote(main)} "$@"\n`,
  })
}

/** Replaces the file in one step, because an engine may be starting the plugin. */
async function put(file: string, { content, mode }: { content: string; mode: number }) {
  const current = await readFile(file, "utf8").catch(() => undefined)
  if (current === content) return
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, content, { mode })
  await rename(temporary, file)
}
