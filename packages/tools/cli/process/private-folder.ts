import { mkdtempDisposable, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { isAlive } from "./is-alive.ts"

const prefix = "accounts-rows-"

/** A folder for rows in plain text, deleted at the end, or by the next run after a kill. */
export async function createPrivateFolder() {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^accounts-rows-(\d+)-\w+$/.exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    // Another user's cannot be deleted.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
  return await mkdtempDisposable(join(tmpdir(), `${prefix}${process.pid}-`))
}
