import { execFile } from "node:child_process"

import { expect, test } from "vitest"
import * as z from "zod"

const bundler = new URL("bundle.ts", import.meta.url).href

/** Begins a build, and ends its process by an error in the midst of it. */
const script = `
import { ChildProcess } from "node:child_process"
import { writeSync } from "node:fs"
const ended = []
const { kill } = ChildProcess.prototype
ChildProcess.prototype.kill = function (...signal) {
  ended.push(this.pid)
  return kill.apply(this, signal)
}
const { bundle } = await import(${JSON.stringify(bundler)})
process.on("exit", () => writeSync(1, JSON.stringify(ended)))
void bundle({ migrationsHead: "" })
setTimeout(() => process.exit(3), Number(process.argv[1]))
`

function endAfter(milliseconds: number) {
  const args = ["--input-type=module", "--eval", script, String(milliseconds)]
  return new Promise<{ code: unknown; ended: number[]; stderr: string }>((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error?.code, ended: z.array(z.number()).parse(JSON.parse(stdout)), stderr }),
    )
  })
}

function isRunning(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.each([20, 150, 400])(
  "a process that fails %i ms into a build leaves no bundler, which says nothing",
  async (milliseconds) => {
    const { code, ended, stderr } = await endAfter(milliseconds)
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" })
    expect(ended).toHaveLength(1)
    await expect.poll(() => ended.filter(isRunning)).toEqual([])
  },
)
