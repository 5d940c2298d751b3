import { join } from "node:path"
import { gzipSync } from "node:zlib"

import { build } from "esbuild"
import type { TestProject } from "vitest/node"

type Bundle = {
  /** KiB, minified and then gzipped. */
  readonly minified: number
  readonly gzipped: number
  /** KiB minified of each package, the largest first. */
  readonly parts: readonly (readonly [string, number])[]
}

declare module "vitest" {
  interface ProvidedContext {
    bundle: Bundle
  }
}

const kib = (bytes: number) => Math.round(bytes / 102.4) / 10

/** Bundles the Worker in Node as a deployment does, for the tests that judge its size. */
export default async function setUp(project: TestProject) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, "../worker.ts")],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2024",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["module", "main"],
    external: ["node:*", "cloudflare:*", "*.bin"],
    define: { MIGRATIONS_HEAD: '"0000_accounts.sql"' },
    legalComments: "none",
    logLevel: "silent",
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error("esbuild wrote no module for app/worker.ts")
  const sizes = new Map<string, number>()
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? "app"
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput)
    }
  }
  project.provide("bundle", {
    minified: kib(file.contents.byteLength),
    gzipped: kib(gzipSync(file.contents, { level: 9 }).byteLength),
    parts: [...sizes]
      .map(([name, bytes]) => [name, kib(bytes)] as const)
      .toSorted(([, one], [, other]) => other - one),
  })
}
