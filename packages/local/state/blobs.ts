import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { writeAtomically } from "../daemon/state-folder.ts"

export type Blobs = ReturnType<typeof openBlobs>

/** Files of modules, named by the SHA-256 of their content. */
export function openBlobs(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return {
    directory,
    /** Idempotent. @returns the SHA-256 in hexadecimal */
    put(content: Uint8Array) {
      const sha256 = createHash("sha256").update(content).digest("hex")
      const file = join(directory, sha256)
      if (existsSync(file)) return sha256
      writeAtomically(file, content)
      return sha256
    },
    get: (sha256: string) => readFile(join(directory, sha256)),
    /** Removes every file not named in `keep`, including unfinished writes of a killed process. */
    sweep(keep: ReadonlySet<string>) {
      for (const name of readdirSync(directory)) {
        if (!keep.has(name)) rmSync(join(directory, name))
      }
    },
  }
}

/** Runs `work` after all earlier work with the same key has finished or failed. */
export type KeyedLock = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (tails.get(key) === mine) tails.delete(key)
    }
  }
}
