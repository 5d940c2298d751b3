import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { providerVersion } from "./version.ts"

/** The folder and the file that the engine looks for. */
export const pluginFolder = `resource-cloudflare-v${providerVersion}`
export const pluginFile = "pulumi-resource-cloudflare"

/** Tells the stand-in from the official plugin, to people and to `isStandIn`. */
const note = "stand-in.txt"

export function isStandIn(plugin: string) {
  return existsSync(join(plugin, note))
}

/**
 * Puts the stand-in where the engine looks for Pulumi's own provider: a plugin that starts
 * `local/provider` of this checkout by path, written again when the checkout has moved.
 */
export async function writeStandIn({ home, repository }: { home: string; repository: string }) {
  const plugin = join(home, "plugins", pluginFolder)
  await mkdir(plugin, { recursive: true })
  const own = join(repository, "node_modules", ".bin", "node")
  const node = existsSync(own) ? own : process.execPath
  const main = join(repository, "local", "provider", "main.js")
  await put(join(plugin, note), {
    mode: 0o644,
    content: [
      "Accounts' stand-in for Pulumi's Cloudflare provider, used where the official plugin cannot be had.",
      "It talks to the local Cloudflare only. ACCOUNTS_PROVIDER=official asks for the official one.",
      "",
    ].join("\n"),
  })
  await put(join(plugin, pluginFile), {
    mode: 0o755,
    content: `#!/bin/sh\nexec ${quote(node)} ${quote(main)} "$@"\n`,
  })
}

/** As one word for a POSIX shell, whatever it contains. */
export function quote(text: string) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** An engine that is starting the plugin meanwhile sees the old file or the new one. */
async function put(file: string, { content, mode }: { content: string; mode: number }) {
  const current = await readFile(file, "utf8").catch(() => undefined)
  if (current === content) return
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, content, { mode })
  await rename(temporary, file)
}
