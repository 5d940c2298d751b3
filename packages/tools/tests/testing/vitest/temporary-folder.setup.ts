import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

import { hasExited } from "../../../cli/process/is-alive.ts"

/** Linux's shared memory. Writing files there takes a quarter less of the kernel's time than on a disk. */
const memory = "/dev/shm"

/** Of it, in bytes. A run takes a fifth of that; a container may have far less. */
const needed = 1024 ** 3

const prefix = "accounts-tests-"
const ownPrefix = `${prefix}${process.pid}-`

/**
 * All processes of a test run put their temporary files into one folder, which is deleted when vitest
 * exits: some of them are killed, and others are libraries that leave theirs behind. It is in memory,
 * unless TMPDIR names another place. Every project needs it before its other set-ups, and vitest runs
 * those of the root project last, so it is asked for several times.
 */
export default function setUp(): void {
  const chosen = process.env["TMPDIR"]
  if (chosen !== undefined && basename(chosen).startsWith(ownPrefix)) return
  const folder = (chosen === undefined && createIn(memory)) || createIn(tmpdir())
  if (folder === undefined) throw new Error(`${tmpdir()} takes no programs: set TMPDIR`)
  process.env["TMPDIR"] = folder
  process.once("exit", () => remove(folder))
}

/** Undefined if it would lack space, or programs cannot run there. */
function createIn(place: string): string | undefined {
  try {
    removeAbandoned(place)
    const { bavail, bsize } = statfsSync(place)
    if (place === memory && bavail * bsize < needed) return undefined
    const folder = mkdtempSync(join(place, ownPrefix))
    if (runsPrograms(folder)) return folder
    remove(folder)
    return undefined
  } catch {
    return undefined
  }
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, "program")
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 })
  return spawnSync(program).status === 0
}

/** Removes what runs left behind that were killed. */
function removeAbandoned(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (pid === undefined || !hasExited(Number(pid))) continue
    try {
      remove(join(place, name))
    } catch {
      // It is another user's, who removes it.
    }
  }
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
