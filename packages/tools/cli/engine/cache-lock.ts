import { mkdir } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"

import { lock } from "proper-lockfile"

/** A holder that has not touched its lock for this long is dead, or its machine slept (ms). */
const staleTimeout = 15_000
const pollInterval = 500

/**
 * Locks `name` in a directory against every other process of this machine until it is disposed.
 * `lost` aborts when the lock is lost, for example because the file system has disappeared.
 */
export async function lockCache(options: {
  directory: string
  name: string
  signal: AbortSignal
  onWait: () => void
}): Promise<AsyncDisposable & { lost: AbortSignal }> {
  const { directory, name, signal, onWait } = options
  await mkdir(directory, { recursive: true })
  const lost = new AbortController()
  const attempt = () =>
    lock(directory, {
      lockfilePath: `${directory}/${name}.lock`,
      stale: staleTimeout,
      onCompromised: (cause) =>
        lost.abort(new Error(`The lock on ${directory} was lost.`, { cause })),
    }).catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ELOCKED") return undefined
      throw error
    })

  let release = await attempt()
  if (!release) onWait()
  while (!release) {
    await sleep(pollInterval, undefined, { signal }).catch(() => undefined)
    signal.throwIfAborted()
    release = await attempt()
  }
  const free = release
  return {
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      if (!lost.signal.aborted) await free()
    },
  }
}
