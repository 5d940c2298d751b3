import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** Whether a process with this id runs, even a process of another user, which cannot be signalled. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
  return !isZombie(pid)
}

/**
 * An exited process stays in the table until its parent collects the exit code. If the parent was
 * killed too, process 1 collects it, which is slow in some containers.
 */
function isZombie(pid: number): boolean {
  // proc(5): the state follows the name, which may contain parentheses. Only Linux has the file.
  const state = readIfExists(`/proc/${pid}/stat`)?.split(") ").at(-1)?.[0]
  return state === "Z" || state === "X"
}

/** `PROC_PID_INIT_INO` of Linux's include/linux/proc_ns.h: it contains every process of the machine. */
const firstNamespace = "pid:[4026531836]"

/**
 * Whether no process of this machine has the id, in any container. Containers may share the host's name and have
 * their own process ids, so inside a container the result is always false.
 */
export function hasExited(pid: number, proc = "/proc"): boolean {
  if (isAlive(pid)) return false
  if (process.platform !== "linux") return true
  if (readlinkSync(`${proc}/self/ns/pid`) !== firstNamespace) return false
  return !readdirSync(proc).some((name) => /^\d+$/.test(name) && idsOf(`${proc}/${name}`).has(pid))
}

/** Returns the ids of a process, from the outermost namespace to its own; empty if it has exited. */
function idsOf(directory: string): Set<number> {
  const status = readIfExists(`${directory}/status`) ?? ""
  if (/^State:\s*[ZX]/m.test(status)) return new Set()
  const [, ids = ""] = /^NSpid:(.*)$/m.exec(status) ?? []
  return new Set(ids.trim().split(/\s+/).map(Number))
}

/**
 * Returns a name within which a process id is unique. Host names are not unique: runners of one image, and
 * containers with their own process ids, may share them. Only Linux can distinguish these.
 */
export function machineName(proc = "/proc"): string {
  const boot = readIfExists(`${proc}/sys/kernel/random/boot_id`)
  const namespace = existsSync(`${proc}/self/ns/pid`) && readlinkSync(`${proc}/self/ns/pid`)
  return `${hostname()}-${shortHash(`${boot} ${namespace}`)}`
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8)
}

/**
 * Reads a file; undefined if it does not exist. Safe while another process removes the file or exits: reading an
 * open file below `/proc` then fails with ESRCH.
 */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const code = error instanceof Error && "code" in error && error.code
    if (code === "ENOENT" || code === "ESRCH") return undefined
    throw error
  }
}
