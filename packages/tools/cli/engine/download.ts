import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"

import { messageOf } from "../../base/failure.ts"
import { commandIn } from "./cache.ts"
import { engineVersion } from "./engine-environment.ts"
import { run } from "./executable.ts"

/** A file of a release, with its hash. */
export type EngineArchive = { name: string; sha256: string }

/** Where Pulumi publishes the engine. */
export const engineSite = new URL(
  `https://github.com/pulumi/pulumi/releases/download/v${engineVersion}/`,
)

/** Of 3.259.0, as Pulumi's own Homebrew formula has them: pulumi/homebrew-tap 51fb494, Formula/pulumi.rb. */
const checksums: Record<string, string> = {
  "darwin-arm64": "57c27f179e527e2cf9f62b841a448af72a020e44b2fb4ee0d9bd85556c00c864",
  "darwin-x64": "eaca4c3b8277bfa3ab061fa3b270d1c66358a0b2e613da8c5587a04b7226c534",
  "linux-arm64": "edc8327463a72160bb36cf82cf5062da9c8a244290a706d9980988e7bf486853",
  "linux-x64": "94ba357acac23d01474084c4b00098dc0f7bc70ce13f34c777459254a5f718e5",
}
export const checksumsOf = "3.259.0"

/** Undefined on a machine for which no checksum is pinned: nothing is downloaded there. */
export function engineArchive(
  machine = `${process.platform}-${process.arch}`,
): EngineArchive | undefined {
  const sha256 = checksums[machine]
  if (sha256 === undefined) return undefined
  return { name: `pulumi-v${engineVersion}-${machine}.tar.gz`, sha256 }
}

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

const probeTimeout = 5_000

/** The reason why `url` cannot be fetched, or undefined if it can. Takes at most five seconds. */
export async function whyUnreachable(url: URL, signal?: AbortSignal): Promise<string | undefined> {
  const limit = AbortSignal.timeout(probeTimeout)
  try {
    const response = await fetch(url, {
      method: "HEAD",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    return response.ok ? undefined : `${url.host} answers ${response.status}`
  } catch (cause) {
    signal?.throwIfAborted()
    if (limit.aborted) return `${url.host} does not answer within 5 seconds`
    return `${url.host} cannot be reached (${rootCause(cause)})`
  }
}

function rootCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause) return rootCause(error.cause)
  return "code" in error ? String(error.code) : error.message
}
