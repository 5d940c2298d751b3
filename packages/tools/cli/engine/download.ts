import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"

import { messageOf } from "../../base/failure.ts"
import { commandIn, engineVersion } from "./engine-environment.ts"
import { type OnProgress, run } from "./executable.ts"

/** A file of a release, with its hash. */
export type EngineArchive = { name: string; sha256: string }

/** URL at which Pulumi publishes the engine. */
export const engineSite = new URL(
  `https://github.com/pulumi/pulumi/releases/download/v${engineVersion}/`,
)

/** SHA-256 of the archives of 3.259.0, from pulumi/homebrew-tap 51fb494, Formula/pulumi.rb. */
const checksums: Record<string, string> = {
  "darwin-arm64": "57c27f179e527e2cf9f62b841a448af72a020e44b2fb4ee0d9bd85556c00c864",
  "darwin-x64": "eaca4c3b8277bfa3ab061fa3b270d1c66358a0b2e613da8c5587a04b7226c534",
  "linux-arm64": "edc8327463a72160bb36cf82cf5062da9c8a244290a706d9980988e7bf486853",
  "linux-x64": "94ba357acac23d01474084c4b00098dc0f7bc70ce13f34c777459254a5f718e5",
}
export const checksumsOf = "3.259.0"

/** Returns undefined for a machine without a pinned checksum: nothing is downloaded there. */
export function engineArchive(
  machine = `${process.platform}-${process.arch}`,
): EngineArchive | undefined {
  const sha256 = checksums[machine]
  return sha256 === undefined
    ? undefined
    : { name: `pulumi-v${engineVersion}-${machine}.tar.gz`, sha256 }
}

const downloadTimeout = 15 * 60_000

/**
 * Downloads the official engine into `root/bin`. Unpacks and runs nothing unless the file has the
 * pinned checksum.
 * @throws Error with the reason if it fails
 */
export async function downloadEngine(options: {
  root: string
  site: URL
  archive: EngineArchive | undefined
  signal: AbortSignal
  onProgress: OnProgress
}) {
  const { root, site, archive, onProgress } = options
  if (archive === undefined) {
    throw new Error(`No download: no checksum is pinned for ${process.platform}-${process.arch}.`)
  }
  const reason = await whyUnreachable(new URL("/", site), options.signal)
  if (reason) throw new Error(`No download: ${reason}.`)
  onProgress(`Downloading the Pulumi engine ${engineVersion}`)
  const limit = AbortSignal.timeout(downloadTimeout)
  const signal = AbortSignal.any([options.signal, limit])
  const file = join(root, "archive.tar.gz")
  try {
    const response = await fetch(new URL(archive.name, site), { signal })
    if (!response.ok || !response.body) throw new Error(`${site.host} answers ${response.status}`)
    const hash = createHash("sha256")
    const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(response.body, hashed, createWriteStream(file), { signal })
    const sha256 = hash.digest("hex")
    if (sha256 !== archive.sha256) {
      throw new Error(`${archive.name} has the SHA-256 ${sha256}, not ${archive.sha256}`)
    }
    const directory = dirname(commandIn(root))
    await mkdir(directory, { recursive: true })
    const args = ["-xzf", file, "-C", directory, "--strip-components=1"]
    await run({ command: "tar", args, env: process.env, signal })
  } catch (cause) {
    const text = limit.aborted ? "it took more than 15 minutes" : messageOf(cause)
    throw new Error(`The download failed: ${text}`, { cause })
  }
  await rm(file)
}

const probeTimeout = 5_000

/** Returns why `url` cannot be fetched, or undefined if it can. Takes at most five seconds. */
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
    const code = cause instanceof Error && cause.cause && Object(cause.cause).code
    return `${url.host} cannot be reached (${code ?? messageOf(cause)})`
  }
}
