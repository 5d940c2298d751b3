import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

import type { TestProject } from "vitest/node"

import { formatViolation, reviewRecording } from "./recording-review.ts"

/** Every local Cloudflare of a run records its exchanges; after the run all are checked. */
export default function setup({ vitest }: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-exchanges-"))
  process.env["LOCAL_CLOUDFLARE_EXCHANGES"] = directory
  return async () => {
    try {
      const { exchanges, routes, unexplained, idle, stale } = await reviewRecording(
        directory,
        process.env["CLOUDFLARE_OPENAPI"],
      )
      // Only a run of all tests meets every route and every known difference.
      const whole = process.argv
        .slice(2)
        .every((word) => /^(?:run|--(?:reporter|outputFile)\b.*)$/.test(word))
      const problems = [
        ...unexplained.map(formatViolation),
        ...(whole
          ? idle.map((route) => `${route}: implemented, but no test gets a response from it`)
          : []),
        ...(whole
          ? stale.map(
              (entry) => `known-differences.ts: explains nothing any more, remove it: ${entry}`,
            )
          : []),
      ]
      vitest.logger.log(
        `Contract: ${exchanges} exchanges on ${routes - idle.length} of ${routes} routes, ${unexplained.length} unexplained`,
      )
      if (process.env["CLOUDFLARE_OPENAPI"] === undefined) {
        vitest.logger.log(
          "Contract: skipped against Cloudflare's OpenAPI document, because CLOUDFLARE_OPENAPI is not set",
        )
      }
      if (problems.length === 0) return
      for (const problem of problems) vitest.logger.error(`✗ ${problem}`)
      process.exitCode = 1
      throw new Error(`${problems.length} problems with the contract, listed above`)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
