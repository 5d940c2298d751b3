import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** Directory where `openPrepared` keeps the state directories that tests copy. */
    preparedDirectory: string
  }
}

export default function setUp(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), "accounts-prepared-"))
  project.provide("preparedDirectory", directory)
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}
