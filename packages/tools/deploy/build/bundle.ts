import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import process from "node:process"

import { type Plugin, build, stop } from "esbuild"
import * as z from "zod"

import { root } from "../../base/root.ts"
import { project } from "../../environment/project/own-project.ts"
import { type Module, storeBundle } from "../version/bundle-store.ts"

type Bundle = {
  /** The hash by which the provider finds the modules to upload. */
  sha256: string
  /** The hash that includes the second module; equals `sha256` if there is none. */
  whole: string
  modules: Module[]
}

const entry = "worker.js"

// Otherwise esbuild's process finds its pipes closed during a build, and prints all goroutines after the error.
process.once("exit", () => void stop())

/**
 * Bundles the Worker into a main module and the chunks that it loads later. The second module, and each file
 * that is imported as bytes, become separate modules.
 * @throws esbuild's BuildFailure, whose `errors` name file, line and column
 */
export async function bundle({ migrationsHead }: { migrationsHead: string }): Promise<Bundle> {
  const files = new Map<string, string>()
  const { outputFiles } = await build({
    absWorkingDir: root,
    ...project.bundling,
    write: false,
    outdir: ".",
    entryNames: basename(entry, ".js"),
    chunkNames: "[name]-[hash]",
    sourcemap: "external",
    sourcesContent: false,
    plugins: [...project.bundling.plugins, importBytes(files)],
    define: { MIGRATIONS_HEAD: JSON.stringify(migrationsHead) },
  })
  const outputs = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const code = [...outputs].filter(([name]) => name.endsWith(".js"))
  const namedChunks = nameChunks(
    code.map(([name, text]) => ({ name, text })),
    new Set([entry]),
  )
  const sourceMaps = new Map<string, string>()
  for (const [chunkName, { name }] of namedChunks) {
    sourceMaps.set(name, withPortableSources(outputs.get(`${chunkName}.map`) ?? ""))
  }
  const modules = [
    ...[...namedChunks.values()].map(({ name, text }) => ({ name, content: Buffer.from(text) })),
    ...[...files].map(([name, file]) => ({ name, content: readFileSync(file) })),
  ]
  const sha256 = storeBundle(modules, sourceMaps)
  const whole = storeBundle([...modules, ...(await bundleSecond())])
  return { sha256, whole, modules }
}

/** Bundles the second module without shared chunks, so that neither module changes with the other. */
export async function bundleSecond(): Promise<Module[]> {
  const { secondModule, bundling } = project
  if (secondModule === undefined) return []
  const { name, entryPoint } = secondModule
  const { outputFiles } = await build({
    absWorkingDir: root,
    ...bundling,
    entryPoints: [entryPoint],
    plugins: [],
    write: false,
    splitting: false,
    outfile: name,
  })
  return outputFiles.map(({ contents }) => ({ name, content: contents }))
}

const SourceMap = z.looseObject({ sources: z.array(z.string()) })

/** Makes the paths of packages begin with `node_modules`, wherever that is. */
function withPortableSources(sourceMap: string): string {
  const map = SourceMap.parse(JSON.parse(sourceMap))
  const sources = map.sources.map((source) => source.replace(/^.*(?=node_modules\/)/, ""))
  return JSON.stringify({ ...map, sources })
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

type Output = { name: string; text: string }

/**
 * Names chunks by a hash of their content: esbuild's eight-character hashes also depend on paths and line numbers.
 * The new hashes have the same length, so that positions in source maps stay valid.
 * @param outputs code by esbuild's names; names in `fixedNames` do not change
 */
function nameChunks(outputs: Output[], fixedNames: Set<string>): Map<string, Output> {
  const chunks = outputs.filter(({ name }) => !fixedNames.has(name))
  const withNames = (text: string, nameOf: (name: string) => string) =>
    chunks.reduce(
      (replacedText, { name }) =>
        replacedText.replaceAll(`"./${name}"`, () => `"./${nameOf(name)}"`),
      text,
    )
  const names = new Map(
    chunks.map(({ name, text }) => {
      const content = withNames(text, stemOf)
      const hash = createHash("sha256").update(content).digest("hex").slice(0, 8)
      return [name, `${stemOf(name)}-${hash}.js`]
    }),
  )
  if (new Set(names.values()).size < names.size) {
    throw new Error(`Two chunks of the Worker are the same: ${[...names.values()].join(", ")}`)
  }
  const nameOf = (name: string) => names.get(name) ?? name
  return new Map(
    outputs.map(({ name, text }) => [name, { name: nameOf(name), text: withNames(text, nameOf) }]),
  )
}

function stemOf(name: string) {
  return name.slice(0, -"-XXXXXXXX.js".length)
}
