import { AsyncLocalStorage } from "node:async_hooks"
import { ChildProcess, execFileSync, spawn } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

/** Milliseconds that a restarted process gets to listen, the same as for a first start. */
const timeout = 30_000
/** Milliseconds between attempts. */
const pause = 50

/** Repeats `attempt` while its connection is refused, as during a restart of the process. */
export async function waitUntilListening<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + timeout
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRefused(error) || performance.now() > deadline) throw error
      await sleep(pause)
    }
  }
}

const Refused = z.object({ code: z.literal("ECONNREFUSED") })
/** `fetch` puts the code in the cause. */
const Wrapped = z.object({ cause: Refused })

function isRefused(error: unknown) {
  return Refused.safeParse(error).success || Wrapped.safeParse(error).success
}

export type ChildProcesses = ReturnType<typeof openChildProcesses>

/**
 * Tracks child processes, which must not outlive this process. Kills the processes that an earlier run listed in
 * `file`, then keeps `file` up to date.
 */
export function openChildProcesses(file: string) {
  mkdirSync(dirname(file), { recursive: true })
  killLeftovers(file)
  const running = new Map<number, { name: string; child: ChildProcess; identity: string }>()
  const owner = new AsyncLocalStorage<string>()
  const guard = openGuard()
  let closed = false

  // Miniflare hides its child processes, but Node publishes each one on this channel.
  const onSpawn = (message: unknown) => {
    const name = owner.getStore()
    const child = Announcement.safeParse(message).data?.process
    if (name === undefined || child === undefined) return
    child.once("spawn", () => {
      const { pid } = child
      if (pid === undefined) return
      if (closed) {
        child.kill("SIGKILL")
        return
      }
      running.set(pid, { name, child, identity: findProcess(pid)?.identity ?? "" })
      changed()
      child.once("exit", () => {
        if (running.delete(pid)) changed()
      })
    })
  }
  subscribe("child_process", onSpawn)

  function changed() {
    const pids = [...running.keys()]
    guard.watch(pids)
    const rows = [...running]
      .map(([pid, { identity }]) => ({ pid, identity }))
      .filter(({ identity }) => identity !== "")
    writeFileSync(file, JSON.stringify(rows), { mode: 0o600 })
  }

  const rowsNamed = (name: string) => [...running.entries()].filter(([, row]) => row.name === name)

  return {
    /** Runs `boot`, and gives `name` to the processes that it starts now or at a later restart. */
    adopt: <T>(name: string, boot: () => T): T => owner.run(name, boot),
    list: () =>
      [...running].map(([pid, { name }]) => ({
        name,
        pid,
        residentBytes: findProcess(pid)?.residentBytes ?? 0,
      })),
    pidOf: (name: string) => rowsNamed(name).at(-1)?.[0],
    /** Kills the processes named `name`. */
    kill(name: string) {
      for (const [, { child }] of rowsNamed(name)) child.kill("SIGKILL")
    },
    close() {
      unsubscribe("child_process", onSpawn)
      closed = true
      for (const { child } of running.values()) child.kill("SIGKILL")
      // The exit events come later, when the file's directory may no longer exist.
      running.clear()
      changed()
      guard.close()
    },
  }
}

const Announcement = z.object({ process: z.instanceof(ChildProcess) })

/**
 * Reads the pids from its arguments; each input line replaces them. The input ends when the parent has exited: then
 * it kills these processes.
 */
const guardScript =
  'pids=$*; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids'

/**
 * Starts a shell that kills the children when this process exits, even by SIGKILL. The shell has its
 * own session, so that Ctrl-C in the terminal does not reach it.
 */
function openGuard() {
  let watched: number[] = []
  let shell = start()

  function start() {
    // Pass the pids as arguments, because this process may be killed before it has written a line.
    const started = spawn("/bin/sh", ["-c", guardScript, "guard", ...watched.map(String)], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    })
    // If there is no shell, the file still helps the next run; losing the guard must not be fatal.
    started.on("error", () => {})
    started.stdin.on("error", () => {})
    started.unref()
    started.once("exit", (_, signal) => {
      if (signal === null) return
      shell = start()
    })
    return started
  }
  function watch(pids: number[]) {
    watched = pids
    shell.stdin.write(`${pids.join(" ")}\n`)
  }
  return { watch, close: () => void shell.stdin.end("\n") }
}

const Rows = z.array(z.strictObject({ pid: z.int().positive(), identity: z.string().min(1) }))

function killLeftovers(file: string) {
  for (const { pid, identity } of readRows(file)) {
    if (findProcess(pid)?.identity === identity) process.kill(pid, "SIGKILL")
  }
}

function readRows(file: string) {
  try {
    return Rows.parse(JSON.parse(readFileSync(file, "utf8")))
  } catch {
    // The file is missing after a clean exit and may be truncated after a crash.
    return []
  }
}

type ProcessEntry = {
  /** Start time and command, to distinguish processes that reuse a pid. */
  identity: string
  residentBytes: number
  /** CPU time so far, in seconds. */
  processorSeconds: number
}

export function findProcess(pid: number): ProcessEntry | undefined {
  return process.platform === "linux" ? fromProc(pid) : fromPs(pid)
}

/** Linux: see proc_pid_stat(5). Containers often lack `ps`. */
function fromProc(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field, the command, is in parentheses and may contain spaces: split after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [state, userTicks, systemTicks, startTicks] = [0, 11, 12, 19].map((at) => fields[at])
    if (state === "Z" || state === "X") return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8")
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return {
      identity: `${startTicks} ${command}`,
      residentBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024,
      processorSeconds: (Number(userTicks) + Number(systemTicks)) / ticksPerSecond,
    }
  } catch {
    return undefined
  }
}

/** USER_HZ, the same on every architecture that Node and workerd support. */
const ticksPerSecond = 100

function fromPs(pid: number): ProcessEntry | undefined {
  const columns = ["lstart=", "rss=", "time=", "command="].flatMap((column) => ["-o", column])
  try {
    const line = execFileSync("ps", [...columns, "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
    }).trim()
    // "Sat Nov 21 02:00:00 2026  1234  0:01.23 /path/to/workerd serve"
    const match = /^(\S+ +\S+ +\S+ +\S+ +\S+) +(\d+) +(\S+) +(.*)$/.exec(line)
    if (match === null) return undefined
    const [, started, kilobytes, time = "", command] = match
    return {
      identity: `${started} ${command}`,
      residentBytes: Number(kilobytes) * 1024,
      processorSeconds: time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0),
    }
  } catch {
    return undefined
  }
}
