import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * What Node compiles is shared by all processes of one test run: the copies of the checkout have
 * other paths each time, and would fill a cache that outlives them.
 */
export default function setup(): (() => void) | undefined {
  if (process.env["NODE_COMPILE_CACHE"]) return undefined
  const directory = mkdtempSync(join(tmpdir(), "accounts-compiled-"))
  process.env["NODE_COMPILE_CACHE"] = directory
  return () => {
    delete process.env["NODE_COMPILE_CACHE"]
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}
