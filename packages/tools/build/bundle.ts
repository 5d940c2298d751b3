import { readFileSync } from "node:fs"
import { basename } from "node:path"

import { build, type Plugin } from "esbuild"
import * as z from "zod"

import { root } from "../base/root.ts"
import { project } from "../project/own-project.ts"
import { type Module, storeBundle } from "../provider/version/bundle-store.ts"

export type Bundle = {
  /** By this hash the provider finds the modules when it uploads them. */
  sha256: string
  /** The same with the second module; without one, the same hash. */
  whole: string
  modules: Module[]
}

/**
 * Bundles the Worker into one module, a second one that it may load into another, and each file that it imports as bytes into another.
 * @throws esbuild's BuildFailure, whose `errors` name file, line and column
 */
export async function bundle({ migrationsHead }: { migrationsHead: string }): Promise<Bundle> {
  const files = new Map<string, string>()
  const { outputFiles } = await build({
    absWorkingDir: root,
    ...project.bundling,
    write: false,
    outfile: "worker.js",
    sourcemap: "external",
    sourcesContent: false,
    plugins: [...project.bundling.plugins, importBytes(files)],
    define: { MIGRATIONS_HEAD: JSON.stringify(migrationsHead) },
  })
  const output = outputFiles.find(({ path }) => path.endsWith(".js"))
  const map = outputFiles.find(({ path }) => path.endsWith(".map"))
  if (!output || !map) throw new Error("esbuild wrote no module for the Worker")
  const modules = [
    { name: "worker.js", content: output.contents },
    ...[...files].map(([name, file]) => ({ name, content: readFileSync(file) })),
  ]
  const sourceMap = withPortableSources(map.text)
  const sha256 = storeBundle(modules, sourceMap)
  const whole = storeBundle([...modules, ...(await bundleSecond())], sourceMap)
  return { sha256, whole, modules }
}

/** The second module shares no code with the first one, so that neither changes with the other. */
async function bundleSecond(): Promise<Module[]> {
  const { secondModule, bundling } = project
  if (secondModule === undefined) return []
  const { name, entryPoint } = secondModule
  const { outputFiles } = await build({
    absWorkingDir: root,
    ...bundling,
    entryPoints: [entryPoint],
    plugins: [],
    write: false,
    outfile: name,
  })
  return outputFiles.map(({ contents }) => ({ name, content: contents }))
}

const SourceMap = z.looseObject({ sources: z.array(z.string()) })

/** Names files of packages as those of any checkout, wherever `node_modules` is. */
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
