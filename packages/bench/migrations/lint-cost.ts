import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import * as z from "zod"

import { root } from "../../tools/base/root.ts"
import { writeManyFiles } from "./many-files.ts"

const Usage = z.object({ seconds: z.number(), mib: z.number() })

/** Processor time and most memory of the command that lints a folder of so many files. */
export function lintCost(files: number): z.infer<typeof Usage> & { tables: number } {
  const folder = mkdtempSync(join(tmpdir(), "bench-lint-"))
  try {
    const directory = join(folder, "migrations")
    mkdirSync(directory)
    const tables = writeManyFiles(directory, files)
    const usage = join(import.meta.dirname, "usage.ts")
    const command = join(root, "packages/d1-migrations/main.js")
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", usage, command, "lint", "--dir", directory],
      { encoding: "utf8", maxBuffer: 2 ** 26 },
    )
    if (status !== 0) throw new Error(`lint of ${files} files ended with ${status}: ${stderr}`)
    return { ...Usage.parse(JSON.parse(stderr.trim().split("\n").at(-1) ?? "")), tables }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
