import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, join, relative } from "node:path"

import { build, type Plugin } from "esbuild"

import { bundling } from "../app/bundle.ts"
import { infraDirectory, root } from "../root.ts"

type Module = {
  name: string
  contentType: "application/javascript+module" | "application/octet-stream"
  /** Relative to `infra/`, because state keeps it and must not depend on the machine. */
  contentFile: string
}

export type Bundle = {
  /** Hexadecimal SHA-256 of all modules, the same on every machine. */
  sha256: string
  /** Sorted by name; the entry point is `worker.js`. */
  modules: Module[]
}

/**
 * Bundles `app/worker.ts` into one module, and each file that it imports as bytes into another.
 * @throws esbuild's BuildFailure, whose `errors` name file, line and column
 */
export async function bundle({ migrationsHead }: { migrationsHead: string }): Promise<Bundle> {
  const files = new Map<string, string>()
  const { outputFiles } = await build({
    absWorkingDir: root,
    ...bundling,
    write: false,
    plugins: [importBytes(files)],
    define: { MIGRATIONS_HEAD: JSON.stringify(migrationsHead) },
  })
  const [output] = outputFiles
  if (!output) throw new Error("esbuild wrote no module for app/worker.ts")
  const contents = [
    ["worker.js", output.contents] as const,
    ...[...files].map(([name, file]) => [name, readFileSync(file)] as const),
  ].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const hash = createHash("sha256")
  for (const [name, content] of contents) hash.update(`${name} ${sha256(content)}\n`)
  const modules = contents.map(([name, content]): Module => ({
    name,
    contentType:
      name === "worker.js" ? "application/javascript+module" : "application/octet-stream",
    contentFile: relative(infraDirectory, store(name, content)),
  }))
  return { sha256: hash.digest("hex"), modules }
}

/** Makes an import of `X.bin` a separate module with the bytes of the file X. */
function importBytes(files: Map<string, string>): Plugin {
  return {
    name: "files as bytes",
    setup(building) {
      building.onResolve({ filter: /\.bin$/ }, async ({ path, resolveDir, kind }) => {
        const options = { resolveDir, kind }
        const { path: file, errors } = await building.resolve(path.replace(/\.bin$/, ""), options)
        if (errors.length > 0) return { errors }
        const name = `${basename(file)}.bin`
        if ((files.get(name) ?? file) !== file) {
          return { errors: [{ text: `${name} is already the name of ${files.get(name)}` }] }
        }
        files.set(name, file)
        return { path: `./${name}`, external: true }
      })
    },
  }
}

/** Writes atomically, so that two runs at once never see half a file. Returns the path. */
function store(name: string, content: Uint8Array): string {
  const directory = join(root, ".build", sha256(content))
  const path = join(directory, name)
  if (existsSync(path)) return path
  mkdirSync(directory, { recursive: true })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, path)
  return path
}

function sha256(content: Uint8Array) {
  return createHash("sha256").update(content).digest("hex")
}
