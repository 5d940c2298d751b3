import { defaultState } from "./local-options.ts"

/** Where a stack is: by the options that led to it. */
export type StackPlace = { stack: string; local: boolean; state?: string }

/** A command for people to run next, with the options that lead to the same stack. */
export function nextCommand(verb: string, { stack, local, state = defaultState }: StackPlace) {
  const here = local || stack === "local"
  return [
    `./accounts ${verb} -s ${stack}`,
    ...(local && stack !== "local" ? ["--local"] : []),
    ...(here && state !== defaultState ? [`--state ${state}`] : []),
  ].join(" ")
}
