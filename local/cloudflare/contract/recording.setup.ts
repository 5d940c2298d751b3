import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

import type { TestProject } from "vitest/node"

import { formatViolation, reviewRecording } from "./recording-review.ts"

/** Every local Cloudflare of a run writes down its exchanges; at the end all of them are held to the contract. */
export default function setup({ vitest }: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-exchanges-"))
  process.env["LOCAL_CLOUDFLARE_EXCHANGES"] = directory
  return async () => {
    try {
      const { exchanges, routes, unexplained, idle, stale } = await reviewRecording(
        directory,
        process.env["CLOUDFLARE_OPENAPI"],
      )
      // Part of the tests does not meet all that is known.
      const whole = process.argv
        .slice(2)
        .every((word) => /^(?:run|--(?:reporter|outputFile)\b.*)$/.test(word))
      const problems = [
        ...unexplained.map(formatViolation),
        ...(whole ? idle.map((route) => `${route}: implemented, and no test has it answered`) : []),
        ...(whole
          ? stale.map((entry) => `known-differences.ts: never seen any more: ${entry}`)
          : []),
      ]
      vitest.logger.log(
        `Contract: ${exchanges} exchanges on ${routes - idle.length} of ${routes} routes, ${unexplained.length} unexplained`,
      )
      if (problems.length === 0) return
      for (const problem of problems) vitest.logger.error(`✗ ${problem}`)
      process.exitCode = 1
      throw new Error(`${problems.length} differences from Cloudflare's own description: see above`)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
