import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

import {
  type EngineEvent,
  LocalWorkspace,
  type OpMap,
  PulumiCommand,
  Stack,
} from "@pulumi/pulumi/automation/index.js"
import { SemVer } from "semver"
import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import { infraDirectory } from "../../base/root.ts"
import type { StartedProgram, ProgramOptions } from "../../deploy/components/deployment.ts"
import { run as runInOwnGroup } from "../engine/executable.ts"
import { engineOutput } from "../error-report.ts"
import { describeLive, placeOf } from "../plan/live.ts"
import { readIfExists } from "../process/is-alive.ts"
import { lockedFailure } from "../repair/lock.ts"
import type { Engine } from "./engine.ts"
import { openProviders } from "./in-process-providers.ts"
import { diagnosticText, progressPrinter, watchRun } from "./progress.ts"
import type { Project } from "./project.ts"
import { StoredResource, valuesAtFormer } from "./stored-state.ts"
import { expectWholeProgram } from "./whole-program.ts"

/** Selects the stack of a project. The program runs in this process. */
export async function openStack({
  project: { directory, stack, secretsProvider },
  engine,
  create = true,
}: {
  project: Project
  engine: Engine
  /** Creates it in the backend if it is new. */
  create?: boolean
}): Promise<Stack> {
  expectWholeProgram()
  const workspace = await LocalWorkspace.create({
    workDir: directory,
    envVars: engine.environment,
    pulumiCommand: engineCommand(engine),
    program: async () => await (await loadProgram()).program(),
    // Without it, the engine would use a passphrase and leave both settings in the stack file.
    ...(secretsProvider !== undefined && { secretsProvider }),
  })
  return await (create ? Stack.createOrSelect(stack, workspace) : Stack.select(stack, workspace))
}

type Run = (
  args: string[],
  cwd: string,
  environment: Record<string, string>,
  onOutput?: (text: string) => void,
  onError?: (text: string) => void,
  signal?: AbortSignal,
) => Promise<unknown>

/** Commands of the engine that call providers. */
const calling = new Set(["destroy", "preview", "refresh", "up"])

/**
 * Runs the engine as the Automation API does. Commands that call providers find them in this process, and run
 * in their own process group: otherwise the engine gets two signals at Ctrl-C and stops waiting for providers.
 */
function engineCommand(engine: Engine): PulumiCommand {
  // `PulumiCommand.get` would start the engine only to learn its version.
  const command: PulumiCommand = Reflect.construct(PulumiCommand, [
    engine.command,
    new SemVer(engine.version),
  ])
  const { run: published }: { run: Run } = Object(command)
  const run: Run = async (args, cwd, environment, onOutput, onError, signal) => {
    if (!calling.has(args[0] ?? "")) {
      return await published.call(command, args, cwd, environment, onOutput, onError, signal)
    }
    await using providers = await openProviders(engine)
    const here = { ...environment, ...providers.environment, PULUMI_AUTOMATION_API: "true" }
    const stack = args[args.indexOf("--stack") + 1] ?? ""
    const blind = args[0] !== "refresh" && isElsewhere(engine, stack) ? ["--refresh=false"] : []
    const stdout = await runInOwnGroup({
      command: engine.command,
      args: [...args, ...blind, "--non-interactive"],
      cwd,
      env: { ...process.env, ...here },
      onOutput,
      patient: true,
      ...(signal && { signal }),
    })
    return { stdout, stderr: "", code: 0 }
  }
  return Object.assign(command, { run })
}

/** A stack as the backend of this machine stores it. */
const KeptState = z.object({
  checkpoint: z
    .object({ latest: z.object({ resources: z.array(StoredResource).optional() }).nullish() })
    .optional(),
})

/** Reads the resources of a stack in the backend of this machine, without an engine. */
export function keptResources(backend: string, stack: string): StoredResource[] {
  const text = readIfExists(join(backend, `.pulumi/stacks/accounts/${stack}.json`)) ?? "{}"
  return KeptState.parse(JSON.parse(text)).checkpoint?.latest?.resources ?? []
}

/** Whether state has a former address of the local Cloudflare. A refresh before the program runs would fail. */
function isElsewhere({ environment }: Engine, stack: string): boolean {
  const { PULUMI_BACKEND_URL: backend = "", CLOUDFLARE_BASE_URL: api } = environment
  if (api === undefined || !backend.startsWith("file://")) return false
  const resources = keptResources(fileURLToPath(new URL(backend)), stack)
  // Checks every provider: a failed run may have moved only one.
  return valuesAtFormer(resources, api).length > 0
}

type Program = { program: (options?: ProgramOptions) => Promise<Record<string, unknown>> }

/** Loaded late: only `up` runs it, and Pulumi's Cloudflare SDK is large. */
export function loadProgram(): Promise<Program> {
  return import(pathToFileURL(join(infraDirectory, "index.ts")).href)
}

/** Builds of plans. The `up` that follows reuses its plan's build, so it deploys what the plan showed. */
const builds = new WeakMap<Stack, Promise<StartedProgram>>()

/** Starts the build and returns it with the program. */
async function programWithBuild({ begun: givenBuild, ...options }: ProgramOptions = {}): Promise<{
  begun: Promise<StartedProgram>
  run: () => Promise<Record<string, unknown>>
}> {
  const { program } = await loadProgram()
  const { startBuild } = await import("../../deploy/components/deployment.ts")
  const build = givenBuild ?? startBuild()
  // The program reports a failed build.
  build.catch(() => {})
  return { begun: build, run: () => program({ ...options, begun: build }) }
}

/** Number of resources by the engine's operation: `same`, `create`, `update`, `replace`, `delete`. */
export type Changes = Partial<OpMap>

/** The changes of `up`, and the stack's outputs by name; secret outputs are masked. */
type Outcome = { changes: Changes; outputs: Record<string, unknown> }

export type OperationOptions = {
  signal?: AbortSignal
  /** Shows the engine's own detailed differences instead of a line for each change. */
  diff?: boolean
  /** Diagnostics printed so far, so that several operations of a command do not repeat them. */
  printed?: Set<string>
}

type UpOptions = OperationOptions & {
  /** Receives the secrets that the stack generated, by binding. */
  onGenerated?: ((secrets: Record<string, string>) => void) | undefined
  /** Tags of the Worker of a preview. */
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

function refused(participle: string): string {
  return `cannot be deleted like this: see the errors above. Nothing was ${participle}.`
}

/** Plans an `up`, and returns the engine's events. */
export async function planEvents(
  stack: Stack,
  options: OperationOptions = {},
): Promise<EngineEvent[]> {
  const { begun, run: program } = await programWithBuild()
  builds.set(stack, begun)
  const events: EngineEvent[] = []
  const failed = "cannot be deployed like this: see the errors above. Nothing was changed."
  const settings = { failed, options, onEvent: (event: EngineEvent) => events.push(event) }
  await operation(stack, settings, (common) => stack.preview({ ...common, program }))
  return events
}

/**
 * Plans an `up`. It deletes last, so a protected resource would stop it only after the new version serves.
 * @throws Failure before anything is changed
 */
export async function expectDeployable(
  stack: Stack,
  options: OperationOptions = {},
): Promise<EngineEvent[]> {
  return await planEvents(stack, { ...options, diff: false })
}

/**
 * Deletes the stack's resources. Pulumi.yaml makes the engine refresh first, so that it forgets resources that
 * are already gone: Cloudflare's provider would fail on them (404).
 */
export async function destroy(stack: Stack, options: OperationOptions = {}): Promise<Changes> {
  const failed = "was not deleted completely: see the errors above."
  return (await operation(stack, { failed, options }, (common) => stack.destroy(common))).changes
}

/** Plans what `destroy` would delete. */
export async function planDestroy(stack: Stack, options: OperationOptions = {}): Promise<Changes> {
  const settings = { failed: refused("changed"), options, planned: true }
  return (await operation(stack, settings, (common) => stack.previewDestroy(common))).changes
}

/**
 * Plans a deletion. The engine would delete unprotected resources before a protected resource stops it.
 * @throws Failure before anything is deleted
 */
export async function expectDeletable(stack: Stack, options: OperationOptions = {}): Promise<void> {
  const settings = { failed: refused("deleted"), options, onEvent: () => {} }
  await operation(stack, settings, (common) => stack.previewDestroy(common))
}

export async function refresh(stack: Stack): Promise<Changes> {
  const settings = { failed: "was not refreshed: see the errors above.", options: {} }
  return (await operation(stack, settings, (common) => stack.refresh(common))).changes
}

type Operation = {
  /** Rest of the failure message after the stack's name; may depend on the events. */
  failed: string | ((events: EngineEvent[]) => Promise<string>)
  options: OperationOptions
  planned?: boolean
  /** Receives the events instead of printing progress; diagnostics are still printed. */
  onEvent?: (event: EngineEvent) => void
}

type Common = OperationOptions & {
  onEvent: (event: EngineEvent) => void
  onOutput?: (text: string) => void
  suppressProgress: true
}

/** Runs an engine command that calls providers: prints its progress, watches it and handles interrupts. */
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
  using watch = watchRun({ place: placeOf(stack), events, caller: options.signal })
  const { signal } = watch
  const onEvent = (event: EngineEvent) => {
    events.push(event)
    watch.see(event)
    take?.(event)
    if (!take || event.diagnosticEvent) print(event)
    if (event.diagnosticEvent?.severity === "error") {
      errors.push(diagnosticText(event.diagnosticEvent.message))
    }
    if (event.summaryEvent) outcome.changes = event.summaryEvent.resourceChanges
    const done = event.resOutputsEvent?.metadata
    if (done?.type === "pulumi:pulumi:Stack") outcome.outputs = done.new?.outputs ?? {}
  }
  const diffOptions = diff ? { onOutput: (text: string) => void process.stderr.write(text) } : {}
  try {
    await run({ ...options, ...diffOptions, signal, onEvent, suppressProgress: true })
    // The engine reports an interrupted deletion as successful.
    if (isFailure(signal.reason, "INTERRUPTED")) throw signal.reason
    return outcome
  } catch (error) {
    const { reason } = signal
    if (isFailure(reason, "UNANSWERED") || isFailure(reason, "INTERRUPTED")) throw reason
    const explanation = typeof failed === "string" ? failed : await failed(events)
    throw asFailure(stack, { error, diagnostics: errors, failed: explanation })
  }
}

export function asFailure(
  stack: Stack,
  { error, diagnostics, failed }: { error: unknown; diagnostics: string[]; failed: string },
): Failure {
  const locked = lockedFailure(error, placeOf(stack))
  if (locked !== undefined) return locked
  if (diagnostics.length === 0) {
    return new Failure("COMMAND_FAILED", engineOutput(messageOf(error)), { cause: error })
  }
  const guarded = diagnostics.some((text) => text.includes("because it is protected"))
  const way = guarded
    ? " What is protected can be deleted after an `up` with accounts:protect: false. For another host set accounts:protectHostname: false, run `up` with apiOrigin as it was, and then with the new one."
    : ""
  return new Failure("COMMAND_FAILED", `${stack.name} ${failed}${way}`, {
    cause: new Error([...new Set(diagnostics)].join("\n"), { cause: error }),
  })
}
