import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"

/** A module of a Worker: `worker.js`, another JavaScript module, or bytes that the code imports. */
export type Module = { name: string; content: Uint8Array }

/**
 * Files named by the SHA-256 of their content. A bundle is a file with the names and hashes of its modules,
 * so that its own hash identifies everything, and state needs neither a path nor the content.
 */
const store = join(root, ".build", "files")

/** Cloudflare maps stacks of X by the module X.map; see https://developers.cloudflare.com/workers/observability/source-maps/ */
function isMap(name: string) {
  return name.endsWith(".js.map")
}

/**
 * Returns the bundle's SHA-256 in hexadecimal, the same on every machine.
 * @param sourceMaps source maps by the name of the module. They do not change the hash, so that an edit that
 * only moves lines gives the same bundle.
 */
export function storeBundle(modules: Module[], sourceMaps?: ReadonlyMap<string, string>): string {
  for (const { name, content } of modules) {
    const file = put(content)
    const sourceMap = sourceMaps?.get(name)
    if (sourceMap !== undefined) write(`${file}.map`, Buffer.from(sourceMap))
  }
  return put(listOf(modules))
}

/** Returns the hash that `storeBundle` would return, for modules from Cloudflare. */
export function hashBundle(modules: Module[]): string {
  return hashOf(listOf(modules.filter(({ name }) => !isMap(name))))
}

/** @throws Failure when a file is missing, or its content does not match its name */
export function readBundle(sha256: string): Module[] {
  return modulesOf(sha256).flatMap(({ file, name }) => {
    const module = { name, content: get(file, sha256) }
    const map = join(store, `${file}.map`)
    if (!name.endsWith(".js") || !existsSync(map)) return [module]
    return [module, { name: `${name}.map`, content: readFileSync(map) }]
  })
}

function listOf(modules: Module[]): Buffer {
  const lines = modules
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, content }) => `${hashOf(content)} ${name}\n`)
  return Buffer.from(lines.join(""))
}

function modulesOf(sha256: string): { file: string; name: string }[] {
  const lines = get(sha256, sha256).toString().split("\n").slice(0, -1)
  return lines.map((line) => ({ file: line.slice(0, 64), name: line.slice(65) }))
}

function put(content: Uint8Array): string {
  const sha256 = hashOf(content)
  const path = join(store, sha256)
  if (existsSync(path) && readFileSync(path).equals(content)) return sha256
  write(sha256, content)
  return sha256
}

/** Writes atomically, so that simultaneous runs never see half a file. */
function write(file: string, content: Uint8Array): void {
  mkdirSync(store, { recursive: true })
  const draft = join(store, `${file}.${process.pid}`)
  writeFileSync(draft, content)
  renameSync(draft, join(store, file))
}

function get(file: string, bundle: string): Buffer {
  const path = join(store, file)
  const content = existsSync(path) ? readFileSync(path) : undefined
  if (content !== undefined && hashOf(content) === file) return content
  throw new Failure(
    "COMMAND_FAILED",
    `the bundle ${bundle} cannot be uploaded: ${path} is ${content ? "not what was built" : "missing"}. ` +
      "Run the program (pulumi up): it builds the bundle first",
  )
}

function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex")
}
