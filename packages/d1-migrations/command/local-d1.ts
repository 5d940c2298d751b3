import { rmSync, mkdtempSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

import { boundD1 } from "../d1/binding.ts"
import type { D1 } from "../d1/d1.ts"
import { Failure, messageOf } from "../failure.ts"
import type { Settings } from "./project.ts"

type Binding = Parameters<typeof boundD1>[0]

/** As much of wrangler as is needed. */
type Wrangler = {
  getPlatformProxy(options: {
    configPath: string
    persist: { path: string }
  }): Promise<{ env: { DB: Binding }; dispose(): Promise<void> }>
}

/** The database that `wrangler dev` and `wrangler d1 … --local` have, opened by the project's own wrangler. */
export async function openLocalD1({ file, database }: Settings): Promise<D1 & AsyncDisposable> {
  const wrangler = findWrangler(file)
  const directory = mkdtempSync(join(tmpdir(), "d1-migrations-"))
  const configPath = join(directory, "wrangler.json")
  // Only the database, so that no other binding is started or calls Cloudflare.
  const { migrations_dir: _, migrations_pattern: _pattern, ...rest } = database
  const settings = { compatibility_date: "2026-01-01", d1_databases: [{ ...rest, binding: "DB" }] }
  try {
    writeFileSync(configPath, JSON.stringify(settings))
    const path = join(dirname(resolve(file)), ".wrangler/state/v3")
    const proxy = await wrangler.getPlatformProxy({ configPath, persist: { path } })
    return { ...boundD1(proxy.env.DB), [Symbol.asyncDispose]: () => proxy.dispose() }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** @throws USAGE where the project has none */
function findWrangler(file: string): Wrangler {
  try {
    return createRequire(resolve(file))("wrangler") as Wrangler
  } catch (error) {
    const message = `--local needs the project's own wrangler (npm install --save-dev wrangler): ${messageOf(error)}`
    throw new Failure("USAGE", message, { cause: error })
  }
}
