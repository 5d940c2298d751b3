import { AsyncLocalStorage } from "node:async_hooks"
import { ChildProcess, spawn } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

import * as z from "zod"

import { findProcess } from "./process-table.ts"

/** The processes that this one has started and that must not outlive it. */
export type Children = {
  /** Runs `boot`; processes it starts, then or at a later restart, are known by `name`. */
  adopt<T>(name: string, boot: () => T): T
  list: () => { name: string; pid: number; residentBytes: number }[]
  pidOf(name: string): number | undefined
  /** Kills what `name` has running. */
  end(name: string): void
  close(): void
}

/** Ends processes of an earlier run that `file` names, then keeps `file` up to date. */
export function openChildProcesses(file: string): Children {
  mkdirSync(dirname(file), { recursive: true })
  endLeftovers(file)
  const running = new Map<number, { name: string; child: ChildProcess; identity: string }>()
  const owner = new AsyncLocalStorage<string>()
  const guard = openGuard()

  // Miniflare keeps its child processes to itself; Node announces each one to this channel.
  const announced = (message: unknown) => {
    const name = owner.getStore()
    const child = Announcement.safeParse(message).data?.process
    if (name === undefined || child === undefined) return
    child.once("spawn", () => {
      const { pid } = child
      if (pid === undefined) return
      running.set(pid, { name, child, identity: findProcess(pid)?.identity ?? "" })
      changed()
      child.once("exit", () => {
        running.delete(pid)
        changed()
      })
    })
  }
  subscribe("child_process", announced)

  function changed() {
    const pids = [...running.keys()]
    guard.watch(pids)
    const rows = [...running]
      .map(([pid, { identity }]) => ({ pid, identity }))
      .filter(({ identity }) => identity !== "")
    writeFileSync(file, JSON.stringify(rows), { mode: 0o600 })
  }

  const named = (name: string) => [...running.entries()].filter(([, row]) => row.name === name)

  return {
    adopt: (name, boot) => owner.run(name, boot),
    list: () =>
      [...running].map(([pid, { name }]) => ({
        name,
        pid,
        residentBytes: findProcess(pid)?.residentBytes ?? 0,
      })),
    pidOf: (name) => named(name).at(-1)?.[0],
    end(name) {
      for (const [, { child }] of named(name)) child.kill("SIGKILL")
    },
    close() {
      unsubscribe("child_process", announced)
      for (const { child } of running.values()) child.kill("SIGKILL")
      guard.close()
    },
  }
}

const Announcement = z.object({ process: z.instanceof(ChildProcess) })

/** One line: the pids to watch. When the input ends, the parent is gone: so go they. */
const guardScript = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids'

/**
 * A shell that waits for this process to end, however it ends: nothing else runs after SIGKILL.
 * It has a session of its own, so that Ctrl-C on the terminal does not reach it.
 */
function openGuard() {
  let watched: number[] = []
  let shell = start()

  function start() {
    const started = spawn("/bin/sh", ["-c", guardScript], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    })
    // Without a shell there still is the file; and a guard that was killed must not be fatal.
    started.on("error", () => {})
    started.stdin.on("error", () => {})
    started.unref()
    started.once("exit", (_, signal) => {
      if (signal === null) return
      shell = start()
      watch(watched)
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

function endLeftovers(file: string) {
  for (const { pid, identity } of readRows(file)) {
    if (findProcess(pid)?.identity === identity) process.kill(pid, "SIGKILL")
  }
}

function readRows(file: string) {
  try {
    return Rows.parse(JSON.parse(readFileSync(file, "utf8")))
  } catch {
    // Missing after a clean end, cut off after a crash: either way nothing to go by.
    return []
  }
}
