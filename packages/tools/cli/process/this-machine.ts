import { createHash } from "node:crypto"
import { existsSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

import { readIfExists } from "./read-file.ts"

/**
 * Names where a process's id means one process. Hosts have one name more than once: runners of one image,
 * and containers, which number their processes by themselves. Only Linux tells them apart.
 */
export function thisMachine(proc = "/proc"): string {
  const boot = readIfExists(`${proc}/sys/kernel/random/boot_id`)
  const namespace = existsSync(`${proc}/self/ns/pid`) && readlinkSync(`${proc}/self/ns/pid`)
  return `${hostname()}-${shortHash(`${boot} ${namespace}`)}`
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8)
}
