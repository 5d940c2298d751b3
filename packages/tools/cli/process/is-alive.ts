import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** True while a process with this id runs, even one of another user, which may not be signalled. */
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
 * killed too, that is up to the first process of the machine, which is slow in some containers.
 */
function isZombie(pid: number): boolean {
  // proc(5): the state follows the name, which may contain parentheses. Only Linux has the file.
  const state = readIfExists(`/proc/${pid}/stat`)?.split(") ").at(-1)?.[0]
  return state === "Z" || state === "X"
}

/** `PROC_PID_INIT_INO` of Linux's include/linux/proc_ns.h: from it every process of the machine is seen. */
const firstNamespace = "pid:[4026531836]"

/**
 * True only if no process of this machine has the id, in containers neither. They may share the name of
 * their host and number their processes by themselves, so within one of them that is never certain.
 */
export function hasExited(pid: number, proc = "/proc"): boolean {
  if (isAlive(pid)) return false
  if (process.platform !== "linux") return true
  if (readlinkSync(`${proc}/self/ns/pid`) !== firstNamespace) return false
  return !readdirSync(proc).some((name) => /^\d+$/.test(name) && idsOf(`${proc}/${name}`).has(pid))
}

/** The ids of one process, from the outermost namespace to its own; none if it has exited. */
function idsOf(directory: string): Set<number> {
  const status = readIfExists(`${directory}/status`) ?? ""
  if (/^State:\s*[ZX]/m.test(status)) return new Set()
  const [, ids = ""] = /^NSpid:(.*)$/m.exec(status) ?? []
  return new Set(ids.trim().split(/\s+/).map(Number))
}

/**
 * Names where a process's id means one process. Hosts have one name more than once: runners of one image,
 * and containers, which number their processes by themselves. Only Linux tells them apart.
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
 * The content of a file, or undefined if it does not exist. Safe while another process removes it, or ends: a file
 * below `/proc` that is open already cannot be read then (ESRCH).
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
