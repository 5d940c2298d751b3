import {
  LocalWorkspace,
  PulumiCommand,
  type EngineEvent,
  type OpMap,
  type Stack,
} from "@pulumi/pulumi/automation/index.js"

import { program } from "../../infra/index.ts"
import { Failure, Locked, engineOutput } from "../output.ts"
import { diagnosticText, progressPrinter } from "./progress.ts"
import type { Project } from "./project.ts"

export type Engine = {
  /** Path of the engine's executable: `<root>/bin/pulumi`. */
  command: string
  root: string
  /** Environment of every engine call. */
  environment: Record<string, string>
}

/** Selects the stack of a project, making it in the backend when it is new. The program runs in this process. */
export async function openStack({
  project,
  engine,
}: {
  project: Project
  engine: Engine
}): Promise<Stack> {
  // The Automation API asks the engine for its version without envVars, and would write to the user's home.
  const { PULUMI_HOME } = engine.environment
  if (PULUMI_HOME) process.env["PULUMI_HOME"] = PULUMI_HOME
  return await LocalWorkspace.createOrSelectStack(
    { stackName: project.stack, projectName: "accounts", program },
    {
      workDir: project.directory,
      envVars: engine.environment,
      pulumiCommand: await PulumiCommand.get(engine),
    },
  )
}

/** What an operation did, in the engine's own words: `same`, `create`, `update`, `replace`, `delete`. */
export type Changes = Partial<OpMap>

/** What `up` did, and the stack's outputs by name; secret ones are masked. */
export type Outcome = { changes: Changes; outputs: Record<string, unknown> }

/** Runs `up` with a line for each change. @throws Failure with the engine's own diagnostics. */
export async function up(stack: Stack, options: { signal?: AbortSignal } = {}): Promise<Outcome> {
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
    await withoutQuestions(stack, () =>
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
 * After each operation the Automation API starts the engine three more times, for outputs and history,
 * which the operation's events have said already. Each start takes as long as a third of an `up`.
 */
export async function withoutQuestions<Result>(
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
  const text = error instanceof Error ? error.message : String(error)
  if (/currently locked by/.test(text)) {
    return new Locked(
      `The stack ${name} is locked by another run, or by one that was killed. ` +
        `If none is running: ./accounts repair -s ${name}${isLocalPreview(name, workspace) ? " --local" : ""}`,
      { cause: error },
    )
  }
  if (diagnostics.length === 0) return new Failure(engineOutput(text), { cause: error })
  return new Failure(
    `${name} was not brought up to date, see above. What was live before is still live.`,
    {
      cause: new Error([...new Set(diagnostics)].join("\n"), { cause: error }),
    },
  )
}

function isLocalPreview(name: string, { envVars }: Stack["workspace"]) {
  return (
    name.startsWith("preview-") && envVars["PULUMI_BACKEND_URL"]?.startsWith("file://") === true
  )
}
