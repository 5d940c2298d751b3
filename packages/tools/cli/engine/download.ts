import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"

import { messageOf } from "../../base/failure.ts"
import { commandIn } from "./cache.ts"
import type { EngineArchive } from "./engine-archive.ts"
import { run } from "./process-group.ts"
import { whyUnreachable } from "./site-probe.ts"

const downloadTimeout = 15 * 60_000

/**
 * Downloads the official engine into `root/bin`. Nothing of it is unpacked or run unless it is the file
 * whose checksum is pinned.
 * @throws Error with the reason if that fails
 */
export async function downloadEngine(options: {
  root: string
  site: URL
  archive: EngineArchive | undefined
  signal: AbortSignal
  onReachable: () => void
}) {
  const { root, site, archive, signal, onReachable } = options
  if (archive === undefined) {
    throw new Error(`No download: no checksum is pinned for ${process.platform}-${process.arch}.`)
  }
  const reason = await whyUnreachable(new URL("/", site), signal)
  if (reason) throw new Error(`No download: ${reason}.`)
  onReachable()
  const limit = AbortSignal.timeout(downloadTimeout)
  const either = AbortSignal.any([signal, limit])
  const file = join(root, "archive.tar.gz")
  try {
    const sha256 = await fetchInto(file, new URL(archive.name, site), either)
    if (sha256 !== archive.sha256) {
      throw new Error(`${archive.name} has the SHA-256 ${sha256}, not ${archive.sha256}`)
    }
    const directory = dirname(commandIn(root))
    await mkdir(directory, { recursive: true })
    const args = ["-xzf", file, "-C", directory, "--strip-components=1"]
    await run({ command: "tar", args, env: process.env, signal: either })
  } catch (cause) {
    signal.throwIfAborted()
    if (limit.aborted) throw new Error("The download took more than 15 minutes.", { cause })
    throw new Error(`The download failed: ${messageOf(cause)}`, { cause })
  } finally {
    await rm(file, { force: true })
  }
}

/** Returns the SHA-256 of what was written. */
async function fetchInto(file: string, url: URL, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal })
  const { body, ok, status } = response
  if (!ok || body === null) throw new Error(`${url.host} answers ${status}`)
  const hash = createHash("sha256")
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(body, hashed, createWriteStream(file), { signal })
  return hash.digest("hex")
}
