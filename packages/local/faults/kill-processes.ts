import { setTimeout as sleep } from "node:timers/promises"

import type { Plane } from "../plane/plane.ts"
import type { Action } from "./rule.ts"

type Kill = Extract<Action, { type: "kill" }>

/** Kills processes of the plane after `action.ms`; at 0 it waits until they are gone. */
export async function killProcesses(plane: Pick<Plane, "processes">, action: Kill): Promise<void> {
  const running = () =>
    plane
      .processes()
      .filter(({ name }) => name === action.process || name.startsWith(`${action.process} `))
      .map(({ pid }) => pid)
  const end = () => {
    const pids = running()
    for (const pid of pids) process.kill(pid, "SIGKILL")
    return pids
  }
  if (action.ms > 0) return void setTimeout(end, action.ms).unref()
  const ended = end()
  // A dying process still accepts connections for a moment.
  do await sleep(10)
  while (running().some((pid) => ended.includes(pid)))
}
