import {
  LocalWorkspace,
  PulumiCommand,
  type EngineEvent,
  type OpMap,
  type Stack,
} from "@pulumi/pulumi/automation/index.js"

import { Failure, messageOf } from "../../failure.ts"
import { engineOutput } from "../engine-output.ts"
import type { Engine } from "./engine.ts"
import { describeLocks, isLockRefusal, locksIn } from "./lock.ts"
import { diagnosticText, progressPrinter } from "./operation-progress.ts"
import type { Project } from "./project.ts"
import { repairCommand } from "./repair-command.ts"

/** Selects the stack of a project; creates it in the backend if it is new. The program runs in this process. */
export async function openStack({
  project,
  engine,
}: {
  project: Project
  engine: Engine
}): Promise<Stack> {
  // The Automation API runs `pulumi version` without envVars, which would write to the user's home.
  const { PULUMI_HOME } = engine.environment
  if (PULUMI_HOME) process.env["PULUMI_HOME"] = PULUMI_HOME
  return await LocalWorkspace.createOrSelectStack(
    { stackName: project.stack, projectName: "accounts", program: runProgram },
    {
      workDir: project.directory,
      envVars: engine.environment,
      pulumiCommand: await PulumiCommand.get(engine),
    },
  )
}

/** Loaded late: only `up` runs it, and Pulumi's Cloudflare SDK is large. */
function loadProgram() {
  return import("../../infra/index.ts")
}

async function runProgram() {
  return await (await loadProgram()).program()
}

/** Number of resources by the engine's operation: `same`, `create`, `update`, `replace`, `delete`. */
export type Changes = Partial<OpMap>

/** What `up` did, and the stack's outputs by name; secret ones are masked. */
export type Outcome = { changes: Changes; outputs: Record<string, unknown> }

/**
 * Runs `up` and prints a line for each change.
 * @throws Failure after the engine's diagnostics were printed; LOCKED if another run holds the stack
 */
export async function up(stack: Stack, options: { signal?: AbortSignal } = {}): Promise<Outcome> {
  // Reports a program that cannot be loaded before the engine starts.
  await loadProgram()
  return await operation(stack, (onEvent) =>
    stack.up({ onEvent, suppressProgress: true, suppressOutputs: true, ...options }),
  )
}

export async function destroy(stack: Stack): Promise<Changes> {
  const { changes } = await operation(stack, (onEvent) =>
    stack.destroy({ onEvent, suppressProgress: true }),
  )
  return changes
}

export async function refresh(stack: Stack): Promise<Changes> {
  const { changes } = await operation(stack, (onEvent) =>
    stack.refresh({ onEvent, suppressProgress: true }),
  )
  return changes
}

async function operation(
  stack: Stack,
  run: (onEvent: (event: EngineEvent) => void) => Promise<unknown>,
): Promise<Outcome> {
  const print = progressPrinter()
  const errors: string[] = []
  const outcome: Outcome = { changes: {}, outputs: {} }
  try {
    await withoutQueries(stack, () =>
      run((event) => {
        print(event)
        if (event.diagnosticEvent?.severity === "error") {
          errors.push(diagnosticText(event.diagnosticEvent.message))
        }
        if (event.summaryEvent) outcome.changes = event.summaryEvent.resourceChanges
        const done = event.resOutputsEvent?.metadata
        if (done?.type === "pulumi:pulumi:Stack") outcome.outputs = done.new?.outputs ?? {}
      }),
    )
    return outcome
  } catch (error) {
    throw asFailure(stack, error, errors)
  }
}

/**
 * Keeps the Automation API from starting the engine again after an operation (three times after `up`)
 * for outputs and history that the operation's events have reported already.
 */
export async function withoutQueries<Result>(
  stack: Stack,
  act: () => Promise<Result>,
): Promise<Result> {
  const silent = { outputs: async () => ({}), info: async () => undefined }
  Object.assign(stack, silent)
  try {
    return await act()
  } finally {
    for (const method of Object.keys(silent)) Reflect.deleteProperty(stack, method)
  }
}

function asFailure({ name, workspace }: Stack, error: unknown, diagnostics: string[]): Failure {
  const text = messageOf(error)
  if (isLockRefusal(text)) {
    const repair = repairCommand(name, { local: isLocalPreview(name, workspace) })
    const message = describeLocks(locksIn(text), { stack: name, repair })
    return new Failure("LOCKED", message, { cause: error })
  }
  if (diagnostics.length === 0) {
    return new Failure("COMMAND_FAILED", engineOutput(text), { cause: error })
  }
  return new Failure(
    "COMMAND_FAILED",
    `${name} was not updated: see the errors above. The previous version is still live.`,
    { cause: new Error([...new Set(diagnostics)].join("\n"), { cause: error }) },
  )
}

function isLocalPreview(name: string, { envVars }: Stack["workspace"]) {
  return (
    name.startsWith("preview-") && envVars["PULUMI_BACKEND_URL"]?.startsWith("file://") === true
  )
}
