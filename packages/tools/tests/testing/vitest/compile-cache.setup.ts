import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * All processes of one test run share a compile cache. It is deleted after the run, because copies of
 * the checkout have new paths each time and would fill a permanent cache.
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
