import { join } from "node:path"

import { root } from "../base/root.ts"

export const defaultState = join(root, ".local")
export const defaultPort = 8787
export const defaultApiPort = 8790

export type LocalOptions = {
  /** State directory, absolute. */
  state: string
  /** Port of the local Cloudflare's API; 0 for any free port. */
  apiPort: number
  /** Port of the service; 0 for any free port. */
  port: number
  /** Path of an engine to use instead of searching for one. */
  engine: string | undefined
}

export type StackChoice = LocalOptions & {
  /** The stack is a preview on this machine; `local` always is on this machine. */
  local: boolean
}

/** The location of a stack, by the options of a command. */
export type StackPlace = { stack: string; local: boolean; state?: string }

/** Returns the command that a user should run next, with the options for the same stack. */
export function nextCommand(verb: string, place: StackPlace, ...flags: string[]): string {
  const { stack, local, state = defaultState } = place
  const here = local || stack === "local"
  return [
    `./accounts ${verb} -s ${stack}`,
    ...(local && stack !== "local" ? ["--local"] : []),
    ...(here && state !== defaultState ? [`--state ${state}`] : []),
    ...flags,
  ].join(" ")
}

/** Returns the command that deploys a stack again. A preview uses the branch that is checked out. */
export function deployCommand(place: StackPlace): string {
  const { stack, local, state = defaultState } = place
  const elsewhere = state === defaultState ? "" : ` --state ${state}`
  if (stack === "local") return elsewhere === "" ? "npm start" : `npm start --${elsewhere}`
  if (!stack.startsWith("preview-")) return nextCommand("up", place)
  return `./accounts branch up${local ? ` --local${elsewhere}` : ""}, on its branch`
}
