import type { Stack } from "@pulumi/pulumi/automation/index.js"

import { Failure, messageOf } from "../../base/failure.ts"
import { engineOutput } from "../engine-output.ts"
import { run } from "../engine/process-group.ts"
import { asFailure } from "./stack.ts"

/** The stack's own lock, or lease, of its backend. */
export type Hold = {
  /** @throws Failure LOCKED once the engine no longer has it */
  expect: () => void
}

type Holding = {
  stack: Stack
  /** For the history of the backend. */
  message: string
}

/**
 * Holds a stack while `act` runs: every `up`, `destroy`, `refresh` and `repair` of anybody is refused
 * meanwhile, on each kind of backend. No command of the engine only locks, so it is an `up` whose
 * program waits, and then fails: after a program that failed the engine deletes nothing and keeps
 * every output (pulumi/pkg, resource/deploy/deployment_executor.go and step_executor.go, 3.259.0).
 * @throws Failure LOCKED if another run holds it
 */
export async function whileHeld<Result>(
  { stack, message }: Holding,
  act: (hold: Hold) => Promise<Result>,
): Promise<Result> {
  const entered = Promise.withResolvers<undefined>()
  const done = Promise.withResolvers<void>()
  const program = async () => {
    entered.resolve(undefined)
    await done.promise
    throw new Error("held until here; nothing was deployed")
  }
  let lost: Failure | undefined
  const ended = detached(stack, () =>
    // Were the program to succeed after all, nothing but the stack's own entry could be deleted.
    stack.up({ program, message, target: [urnOf(stack)], suppressProgress: true }),
  ).then(
    () => new Failure("COMMAND_FAILED", "The engine did not hold the stack."),
    (error: unknown) => asFailure(stack, { error, diagnostics: [], failed: "" }),
  )
  const refusal = await Promise.race([entered.promise, ended])
  if (refusal !== undefined) throw refusal
  void ended.then((error) => (lost = error))
  const expect = () => {
    if (lost === undefined) return
    const reason = engineOutput(messageOf(lost))
    const text = `${stack.name} is no longer held, so another run may deploy it: ${reason}`
    throw new Failure("LOCKED", text, { cause: lost })
  }
  try {
    return await act({ expect })
  } finally {
    done.resolve()
    await ended
  }
}

function urnOf({ name }: Stack): string {
  return `urn:pulumi:${name}::accounts::pulumi:pulumi:Stack::accounts-${name}`
}

/**
 * The engine in a process group of its own: at the terminal's Ctrl-C it would let go of the stack
 * while what holds it still cleans up.
 */
async function detached<Result>(stack: Stack, act: () => Promise<Result>): Promise<Result> {
  const { pulumiCommand } = stack.workspace
  const { command } = pulumiCommand
  const { run: before } = Object(pulumiCommand)
  Object.assign(pulumiCommand, {
    async run(args: string[], cwd: string, environment: Record<string, string>) {
      const env = { ...process.env, ...environment, PULUMI_AUTOMATION_API: "true" }
      const stdout = await run({ command, args: [...args, "--non-interactive"], cwd, env })
      return { stdout, stderr: "", code: 0 }
    },
  })
  try {
    return await act()
  } finally {
    Object.assign(pulumiCommand, { run: before })
  }
}
