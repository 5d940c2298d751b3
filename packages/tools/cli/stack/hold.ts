import type { Stack } from "@pulumi/pulumi/automation/index.js"

import { Failure, messageOf } from "../../base/failure.ts"
import type { Api } from "../../deploy/api.ts"
import { emptyDatabase } from "../database/fresh.ts"
import { engineOutput } from "../error-report.ts"
import { paint, say } from "../output.ts"
import { readSubject } from "../repair/unmanaged-resources.ts"
import type { StackOptions } from "./deployed-stack.ts"
import { openByName } from "./open-by-name.ts"
import { asFailure, openStack } from "./stack.ts"
import type { Site } from "./stored-state.ts"

/** The lock, or lease, of a stack in its backend. */
export type StackLock = {
  /** @throws Failure LOCKED if the engine has lost the lock */
  expect: () => void
}

/** Opens an existing stack, and locks it while `act` runs. @throws Failure LOCKED */
export async function withNamedStackLock<Result>(
  { message, ...options }: StackOptions & { message: string },
  act: (hold: StackLock) => Promise<Result>,
): Promise<Result> {
  await using opened = await openByName(options.stack, options)
  return await withStackLock({ ...opened, message }, act)
}

/**
 * Locks a stack while `act` runs: every other `up`, `destroy`, `refresh` and `repair` is refused during
 * that time, on each kind of backend. The engine has no command that only locks, so this is an `up` whose
 * program waits.
 * @param site with a message for the history of the backend
 * @throws Failure LOCKED if another run holds it
 */
export async function withStackLock<Result>(
  { engine, project, message }: Site & { message: string },
  act: (hold: StackLock) => Promise<Result>,
): Promise<Result> {
  // The terminal's Ctrl-C does not reach this engine, which would release the lock while `act` still cleans up.
  const stack = await openStack({ engine, project, create: false })
  const waiting = waitingProgram()
  const run = startRun(stack, { message, program: () => waiting.program() })
  await Promise.race([waiting.begun, run.refused])
  try {
    return await act({ expect: () => run.expect() })
  } finally {
    waiting.end()
    await run.ended
  }
}

/**
 * Creates a program that waits and then fails: after a failed program the engine deletes nothing and keeps outputs
 * (pulumi/pkg, resource/deploy/deployment_executor.go and step_executor.go, 3.259.0).
 */
function waitingProgram() {
  const started = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  return {
    begun: started.promise,
    end: end.resolve,
    async program() {
      started.resolve()
      await end.promise
      throw new Error("held until here; nothing was deployed")
    },
  }
}

/** Starts the `up` that locks the stack until its program ends. */
function startRun(stack: Stack, options: { message: string; program: () => Promise<never> }) {
  let failure: Failure | undefined
  // If the program succeeded after all, only the stack's own entry could be deleted.
  const target = [`urn:pulumi:${stack.name}::accounts::pulumi:pulumi:Stack::accounts-${stack.name}`]
  const outcome = stack.up({ ...options, target, suppressProgress: true }).then(
    () => new Failure("COMMAND_FAILED", "The engine did not hold the stack."),
    (error: unknown) => asFailure(stack, { error, diagnostics: [], failed: "" }),
  )
  const noted = outcome.then((error) => (failure = error))
  return {
    ended: noted,
    /** Rejects when the engine ends. */
    refused: noted.then((error) => Promise.reject(error)),
    expect() {
      if (failure === undefined) return
      const reason = engineOutput(messageOf(failure))
      const text = `${stack.name} is no longer held, so another run may deploy it: ${reason}`
      throw new Failure("LOCKED", text, { cause: failure })
    },
  }
}

/**
 * Empties the database of `local` or of a preview for `--fresh`, so that the next deployment recreates it. It
 * cannot be part of that deployment: the engine reads the ledger before the program runs.
 * @throws Failure USAGE in a permanent environment, LOCKED while another run deploys
 */
export async function emptyStackDatabase(site: Site & { api: Api }): Promise<void> {
  const { stack, environment } = readSubject(site.project)
  const message = "holds the stack while its database is emptied"
  const { api } = site
  const undo = await withStackLock({ ...site, message }, () =>
    emptyDatabase({ ...environment, stack, api }),
  )
  if (undo === undefined) return say(`  The database of ${stack} is empty already.`)
  say(`${paint.green("✓")} emptied the database of ${stack}; to bring its rows back: ${undo}`)
}
