import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, existsSync } from "node:fs"
import { mkdir, rm, writeFile, mkdtempDisposable, symlink } from "node:fs/promises"
import { tmpdir, hostname } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { isAlive, hasExited, machineName } from "./is-alive.ts"
import { createPrivateFolder } from "./local-process.ts"

test("a process is alive until it exits", async () => {
  const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"])
  const { pid = 0 } = child
  expect([isAlive(process.pid), isAlive(pid)]).toEqual([true, true])
  child.kill("SIGKILL")
  await once(child, "exit")
  expect(isAlive(pid)).toBe(false)
})

test.runIf(process.platform === "linux")(
  "a process that exited is not alive, even if its parent never collected the exit code",
  async () => {
    // The shell replaces itself with a program that never collects exit codes; its child waits for that.
    const replaced = '[ "$(cat /proc/$$/comm)" = sleep ]'
    const script = `(until ${replaced}; do sleep 0.01; done) & echo $!; exec sleep 60`
    const parent = spawn("sh", ["-c", script])
    try {
      const [line] = await once(parent.stdout, "data")
      const pid = Number(String(line))
      await expect.poll(() => isAlive(pid)).toBe(false)
      expect(process.kill(pid, 0), "it is still in the process table").toBe(true)
    } finally {
      parent.kill("SIGKILL")
    }
  },
)

/** A `/proc` of Linux with one process, whose ids are those of each namespace that it is in. */
function openProc(namespace: string, ids: string, state: string) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-proc-"))
  mkdirSync(join(directory, "self/ns"), { recursive: true })
  symlinkSync(`pid:[${namespace}]`, join(directory, "self/ns/pid"))
  mkdirSync(join(directory, "4711"))
  const status = `Name:\tpulumi\nState:\t${state}\nNSpid:\t${ids}\nThreads:\t1\n`
  writeFileSync(join(directory, "4711/status"), status)
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

// Beyond the largest id that Linux gives to a process.
const never = 2 ** 22 + 1

test.runIf(process.platform === "linux").each([
  ["from the machine itself", "4026531836", "4711", "S (sleeping)", true],
  ["while a container on it has that id", "4026531836", `4711\t${never}`, "R (running)", false],
  ["once that one has exited", "4026531836", `4711\t${never}`, "Z (zombie)", true],
  ["from within a container, which sees no other", "4026532841", "4711", "S (sleeping)", false],
])(
  "a process is gone for sure only if none has its id: %s",
  (_, namespace, ids, state, isGoneNow) => {
    using proc = openProc(namespace, ids, state)
    expect(hasExited(never, proc.directory)).toBe(isGoneNow)
    expect(hasExited(process.pid, proc.directory)).toBe(false)
  },
)

test("rows in plain text that a killed run left are deleted by the next one", async () => {
  const folderOf = (pid: number) => join(tmpdir(), `accounts-rows-${pid}-abcdef`)
  const [dead, alive] = [folderOf(999_999_999), folderOf(process.ppid)]
  for (const folder of [dead, alive]) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, "backup.sql"), "rows")
  }
  await using _ = await createPrivateFolder()
  expect([dead, alive].map((folder) => existsSync(folder))).toEqual([false, true])
  await rm(alive, { recursive: true })
})

test("two machines of one name, and two containers of one machine, are told apart", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "accounts-machine-"))
  const machineNameOf = async (boot: string, namespace: string) => {
    const proc = join(folder.path, boot + namespace)
    await mkdir(join(proc, "self/ns"), { recursive: true })
    await mkdir(join(proc, "sys/kernel/random"), { recursive: true })
    await writeFile(join(proc, "sys/kernel/random/boot_id"), boot)
    await writeFile(join(proc, "self/ns", namespace), "")
    await symlink(namespace, join(proc, "self/ns/pid"))
    return machineName(proc)
  }
  const names = [
    await machineNameOf("a", "pid:[1]"),
    await machineNameOf("b", "pid:[1]"),
    await machineNameOf("a", "pid:[2]"),
  ]
  expect(new Set(names).size).toBe(3)
  expect(machineName(join(folder.path, "no Linux"))).toMatch(`${hostname()}-`)
  expect(machineName()).toBe(machineName())
})
