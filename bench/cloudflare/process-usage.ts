import { readFileSync } from "node:fs"

import { findProcess } from "@accounts/local/process-table"

export type Usage = {
  residentBytes: number
  /** Without memory shared with other processes, such as workerd's program; undefined except on Linux. */
  ownBytes: number | undefined
  processorMilliseconds: number
}

export function usageOf(pid: number): Usage {
  const entry = findProcess(pid)
  if (entry === undefined) throw new Error(`The process ${pid} has exited`)
  const { residentBytes, processorSeconds } = entry
  return {
    residentBytes,
    ownBytes: ownBytes(pid),
    processorMilliseconds: processorSeconds * 1000,
  }
}

function ownBytes(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined
  const kilobytes = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
