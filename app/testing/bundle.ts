import { join } from "node:path"
import { gzipSync } from "node:zlib"

import { build } from "esbuild"
import type { TestProject } from "vitest/node"

import { bundling } from "../service/build/bundle.ts"

type Bundle = {
  /** KiB, minified and then gzipped. */
  minified: number
  gzipped: number
  /** KiB minified of each package, largest first. */
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

/** Bundles the Worker like a deployment, and measures the module and its parts. */
export async function weighBundle(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...bundling,
    absWorkingDir: join(import.meta.dirname, "../.."),
    external: [...bundling.external, "*.bin"],
    define: { MIGRATIONS_HEAD: '"0000_accounts.sql"' },
    metafile: true,
    write: false,
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error("esbuild wrote no module for app/worker.ts")
  const sizes = new Map<string, number>()
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? "app"
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput)
    }
  }
  return {
    minified: kib(file.contents.byteLength),
    gzipped: kib(gzipSync(file.contents, { level: 9 }).byteLength),
    parts: [...sizes]
      .map(([name, bytes]) => [name, kib(bytes)] as const)
      .toSorted(([, one], [, other]) => other - one),
  }
}

export default async function setUp(project: TestProject) {
  project.provide("bundle", await weighBundle())
}
