import { basename, join } from "node:path"
import { gzipSync } from "node:zlib"

import { build } from "esbuild"
import type { TestProject } from "vitest/node"

import { bundling } from "../../infra/bundle.ts"

type Weight = { minified: number; gzipped: number }

/** In KiB, minified and then gzipped module by module. */
type Bundle = Weight & {
  /** Modules that `worker.js` loads later. */
  late: Weight
  /** KiB minified of each package in what an isolate starts with, largest first. */
  parts: (readonly [string, number])[]
}

declare module "vitest" {
  interface ProvidedContext {
    bundle: Bundle
  }
}

function kib(bytes: number) {
  return Math.round(bytes / 102.4) / 10
}

/** Bundles the Worker like a deployment, and measures what an isolate starts with, its parts, and the rest. */
export async function weighBundle(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...bundling,
    absWorkingDir: join(import.meta.dirname, "../.."),
    outdir: ".",
    external: [...bundling.external, "*.bin"],
    define: { MIGRATIONS_HEAD: '"0000_accounts.sql"' },
    metafile: true,
    write: false,
  })
  const outputs = new Map(Object.entries(metafile.outputs))
  const [entry] = [...outputs].find(([, { entryPoint }]) => entryPoint === "app/worker.ts") ?? []
  if (entry === undefined) throw new Error("esbuild wrote no module for app/worker.ts")
  // A set that grows while it is gone through.
  const first = new Set([entry])
  for (const path of first) {
    const imports = outputs.get(path)?.imports ?? []
    for (const { kind, path: next } of imports) {
      if (kind === "import-statement" && outputs.has(next)) first.add(next)
    }
  }
  const sizes = new Map<string, number>()
  for (const path of first) {
    for (const [input, { bytesInOutput }] of Object.entries(outputs.get(path)?.inputs ?? {})) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? "app"
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput)
    }
  }
  const names = new Set([...first].map((path) => basename(path)))
  const isFirst = ({ path }: { path: string }) => names.has(basename(path))
  return {
    ...weigh(outputFiles.filter(isFirst)),
    late: weigh(outputFiles.filter((file) => !isFirst(file))),
    parts: [...sizes]
      .map(([name, bytes]) => [name, kib(bytes)] as const)
      .toSorted(([, a], [, b]) => b - a),
  }
}

function weigh(files: { contents: Uint8Array }[]): Weight {
  const sum = (sizes: number[]) => kib(sizes.reduce((total, size) => total + size, 0))
  return {
    minified: sum(files.map(({ contents }) => contents.byteLength)),
    gzipped: sum(files.map(({ contents }) => gzipSync(contents, { level: 9 }).byteLength)),
  }
}

export default async function setUp(project: TestProject) {
  project.provide("bundle", await weighBundle())
}
