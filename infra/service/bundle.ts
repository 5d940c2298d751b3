import { createHash } from "node:crypto"
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"

import { build } from "esbuild"

import { infraDirectory, root } from "../root.ts"

export type Bundle = {
  /** SHA-256 of the module, hexadecimal: the same input gives the same hash on every machine. */
  sha256: string
  /** The module, relative to `infra/`: this path is kept in state, so it may name no machine. */
  file: string
  bytes: number
}

/**
 * Bundles `app/worker.ts` into one module.
 * @throws esbuild's BuildFailure, its `errors` naming file, line and column.
 */
export async function bundle({ migrationsHead }: { migrationsHead: string }): Promise<Bundle> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["app/worker.ts"],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2024",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["module", "main"],
    external: ["node:*", "cloudflare:*"],
    define: { MIGRATIONS_HEAD: JSON.stringify(migrationsHead) },
    legalComments: "none",
    logLevel: "silent",
  })
  const [output] = outputFiles
  if (!output) throw new Error("esbuild wrote no module for app/worker.ts")
  const sha256 = createHash("sha256").update(output.contents).digest("hex")
  const path = store(sha256, output.contents)
  return { sha256, file: relative(infraDirectory, path), bytes: output.contents.byteLength }
}

/** Writes under the hash, whole or not at all: two runs at once never see half a file. */
function store(sha256: string, contents: Uint8Array): string {
  const directory = join(root, ".build", sha256)
  const path = join(directory, "worker.js")
  if (existsSync(path)) return path
  mkdirSync(directory, { recursive: true })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, contents)
  renameSync(draft, path)
  return path
}
