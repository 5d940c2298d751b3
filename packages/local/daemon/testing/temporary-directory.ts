import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A directory that is removed at the end of the test. */
export async function temporaryDirectory() {
  const path = await mkdtemp(join(tmpdir(), "local-cloudflare-"))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  }
}
