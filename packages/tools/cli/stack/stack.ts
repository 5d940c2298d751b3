import { join } from "node:path"
import { pathToFileURL } from "node:url"

import {
  LocalWorkspace,
  type EngineEvent,
  type OpMap,
  Stack,
} from "@pulumi/pulumi/automation/index.js"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import { infraDirectory } from "../../base/root.ts"
import type { Begun, ProgramOptions } from "../../deploy/components/deployment.ts"
import { engineOutput } from "../engine-output.ts"
import { describeLive } from "../plan/live.ts"
import { lockedFailure } from "../repair/lock.ts"
import { repairCommand } from "../repair/repair-command.ts"
import { engineCommand } from "./engine-command.ts"
import type { Engine } from "./engine.ts"
import { diagnosticText, progressPrinter } from "./operation-progress.ts"
import { useOwnConnections } from "./own-connections.ts"
import type { Project } from "./project.ts"
import { selectionOf } from "./selected-stack.ts"
import { watchSilence } from "./silence.ts"
import { expectWholeProgram } from "./whole-program.ts"

/** Selects the stack of a project. The program runs in this process. */
export async function openStack({
  project,
  engine,
  create = true,
  ownGroup = false,
}: {
  project: Project
  engine: Engine
  /** Creates it in the backend if it is new; otherwise the engine refuses the first operation. */
  create?: boolean
  /** The engine runs in a process group of its own, and serves no provider. */
  ownGroup?: boolean
}): Promise<Stack> {
  useOwnConnections()
  expectWholeProgram()
  const { stack, secretsProvider } = project
  const workspace = await LocalWorkspace.create({
    workDir: project.directory,
    envVars: engine.environment,
    pulumiCommand: engineCommand(engine, { ownGroup }),
    program: async () => await (await loadProgram()).program(),
    // With none, the engine would take a passphrase and leave the stack file with both.
    ...(secretsProvider !== undefined && { secretsProvider }),
  })
  const selection = create ? selectionOf({ engine, project }) : "selected"
  // Each start of the engine takes as long as the program, and every operation names its stack.
  if (selection === "selected") workspace.selectStack = async () => {}
  if (!create) return await Stack.select(stack, workspace)
  const createOrSelect = () => Stack.createOrSelect(stack, workspace)
  // Another run may create it at the same moment.
  if (selection === "new") return await Stack.create(stack, workspace).catch(createOrSelect)
  return await createOrSelect()
}

type Program = { program: (options?: ProgramOptions) => Promise<Record<string, unknown>> }

/** Loaded late: only `up` runs it, and Pulumi's Cloudflare SDK is large. */
export function loadProgram(): Promise<Program> {
  return import(pathToFileURL(join(infraDirectory, "index.ts")).href)
}

/** Builds of plans that no `up` has followed yet: it deploys what was shown, and nothing is built twice. */
const builds = new WeakMap<Stack, Promise<Begun>>()

/** The program, whose build has begun when this resolves. */
async function programWithBuild({ begun: given, ...options }: ProgramOptions = {}): Promise<{
  begun: Promise<Begun>
  run: () => Promise<Record<string, unknown>>
}> {
  const { program } = await loadProgram()
  const { beginBuild } = await import("../../deploy/components/deployment.ts")
  const begun = given ?? beginBuild()
  // The program reports it.
  begun.catch(() => {})
  return { begun, run: () => program({ ...options, begun }) }
}

/** Number of resources by the engine's operation: `same`, `create`, `update`, `replace`, `delete`. */
export type Changes = Partial<OpMap>

/** What `up` did, and the stack's outputs by name; secret ones are masked. */
export type Outcome = { changes: Changes; outputs: Record<string, unknown> }

export type OperationOptions = {
  signal?: AbortSignal
  /** Shows the engine's own detailed differences instead of a line for each change. */
  diff?: boolean
  /** Diagnostics that were printed already, which a command with several operations says once. */
  printed?: Set<string>
}

type UpOptions = OperationOptions & {
  /** Gets the secrets that the stack has made, by binding. */
  onGenerated?: ((secrets: Record<string, string>) => void) | undefined
  /** Of the Worker of a preview. */
  tags?: string[] | undefined
}

/**
 * Runs `up` and prints a line for each change.
 * @throws Failure after the engine's diagnostics were printed; LOCKED if another run holds the stack
 */
export async function up(
  stack: Stack,
  { onGenerated, tags, ...options }: UpOptions = {},
): Promise<Outcome> {
  // Reports a program that cannot be loaded before the engine starts.
  const { run } = await programWithBuild({ onGenerated, tags, begun: builds.get(stack) })
  builds.delete(stack)
  const failed = async (events: EngineEvent[]) =>
    `was not updated: see the errors above. ${await describeLive(stack, events)}`
  return await operation(stack, { failed, options }, (common) =>
    stack.up({ ...common, program: run, suppressOutputs: true }),
  )
}

const unplanned = {
  failed: "cannot be deployed like this: see the errors above. Nothing was changed.",
}

/** What `up` would do, as the engine tells it event by event. */
export async function planEvents(
  stack: Stack,
  options: OperationOptions = {},
): Promise<EngineEvent[]> {
  const { begun, run: program } = await programWithBuild()
  builds.set(stack, begun)
  const events: EngineEvent[] = []
  const settings = { ...unplanned, options, onEvent: (event: EngineEvent) => events.push(event) }
  await operation(stack, settings, (common) => stack.preview({ ...common, program }))
  return events
}

/**
 * `up` deletes last, so what is protected would stop it only after the new version serves.
 * @throws Failure before anything is changed
 */
export async function expectDeployable(
  stack: Stack,
  options: OperationOptions = {},
): Promise<void> {
  await planEvents(stack, { ...options, diff: false })
}

/**
 * Pulumi.yaml has everything read first: what somebody else has deleted is then no longer the stack's, and
 * otherwise Cloudflare's provider fails at it (404).
 */
export async function destroy(stack: Stack, options: OperationOptions = {}): Promise<Changes> {
  const failed = "was not deleted completely: see the errors above."
  const { changes } = await operation(stack, { failed, options }, (common) => stack.destroy(common))
  return changes
}

/** What `destroy` would delete. */
export async function planDestroy(stack: Stack, options: OperationOptions = {}): Promise<Changes> {
  const failed = "cannot be deleted like this: see the errors above. Nothing was changed."
  const { changes } = await operation(stack, { failed, options, planned: true }, (common) =>
    stack.previewDestroy(common),
  )
  return changes
}

/**
 * The engine deletes what is not protected, such as crons, before it comes to what is.
 * @throws Failure before anything is deleted
 */
export async function expectDeletable(stack: Stack, options: OperationOptions = {}): Promise<void> {
  const failed = "cannot be deleted like this: see the errors above. Nothing was deleted."
  const settings = { failed, options, onEvent: () => {} }
  await operation(stack, settings, (common) => stack.previewDestroy(common))
}

export async function refresh(stack: Stack): Promise<Changes> {
  const failed = "was not refreshed: see the errors above."
  const { changes } = await operation(stack, { failed, options: {} }, (common) =>
    stack.refresh(common),
  )
  return changes
}

type Operation = {
  /** What to say of the stack when it fails, after these events. */
  failed: string | ((events: EngineEvent[]) => Promise<string>)
  options: OperationOptions
  planned?: boolean
  /** Takes the events in place of the lines for people; diagnostics are printed all the same. */
  onEvent?: (event: EngineEvent) => void
}

type Common = OperationOptions & {
  onEvent: (event: EngineEvent) => void
  onOutput?: (text: string) => void
  suppressProgress: true
}

async function operation(
  stack: Stack,
  { failed, options, planned = false, onEvent: take }: Operation,
  run: (common: Common) => Promise<unknown>,
): Promise<Outcome> {
  const { diff = false, printed } = options
  const print = diff ? () => {} : progressPrinter({ planned, printed })
  const errors: string[] = []
  const events: EngineEvent[] = []
  const outcome: Outcome = { changes: {}, outputs: {} }
  using silence = watchSilence({ stack: stack.name, events, caller: options.signal })
  const { signal } = silence
  const onEvent = (event: EngineEvent) => {
    events.push(event)
    silence.see(event)
    take?.(event)
    if (!take || event.diagnosticEvent) print(event)
    if (event.diagnosticEvent?.severity === "error") {
      errors.push(diagnosticText(event.diagnosticEvent.message))
    }
    if (event.summaryEvent) outcome.changes = event.summaryEvent.resourceChanges
    const done = event.resOutputsEvent?.metadata
    if (done?.type === "pulumi:pulumi:Stack") outcome.outputs = done.new?.outputs ?? {}
  }
  const shown = diff ? { onOutput: (text: string) => void process.stderr.write(text) } : {}
  try {
    await withoutQueries(stack, () =>
      run({ ...options, ...shown, signal, onEvent, suppressProgress: true }),
    )
    return outcome
  } catch (error) {
    if (isFailure(signal.reason, "UNANSWERED")) throw signal.reason
    const said = typeof failed === "string" ? failed : await failed(events)
    throw asFailure(stack, { error, diagnostics: errors, failed: said })
  }
}

/**
 * Keeps the Automation API from starting the engine again after an operation (three times after `up`)
 * for outputs and history that the operation's events have reported already: `start --once` with nothing
 * changed takes 2.9 s with this, and 3.5 s without.
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

export function asFailure(
  { name, workspace }: Stack,
  { error, diagnostics, failed }: { error: unknown; diagnostics: string[]; failed: string },
): Failure {
  const ofMachine =
    name.startsWith("preview-") &&
    workspace.envVars["PULUMI_BACKEND_URL"]?.startsWith("file://") === true
  const repair = repairCommand(name, { local: ofMachine })
  const local = ofMachine || name === "local"
  const locked = lockedFailure(error, { stack: name, repair, local })
  if (locked !== undefined) return locked
  if (diagnostics.length === 0) {
    return new Failure("COMMAND_FAILED", engineOutput(messageOf(error)), { cause: error })
  }
  const guarded = diagnostics.some((text) => text.includes("because it is protected"))
  const way = guarded
    ? " What is protected can be deleted after an `up` with accounts:protect: false. For another host set accounts:protectHostname: false, run `up` with apiOrigin as it was, and then with the new one."
    : ""
  return new Failure("COMMAND_FAILED", `${name} ${failed}${way}`, {
    cause: new Error([...new Set(diagnostics)].join("\n"), { cause: error }),
  })
}
