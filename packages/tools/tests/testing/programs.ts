import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Programs that take the place of those of a runner. */
export function createPrograms(programs: Record<string, string>) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-programs-"))
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}
