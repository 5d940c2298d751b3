import { createHash } from "node:crypto"

import { judgeEach } from "@accounts-stack/d1-migrations"
import { findPending, type Migration } from "@accounts-stack/d1-migrations/files"
import type { Stack } from "@pulumi/pulumi/automation/index.js"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { migrationsDirectory } from "../../base/root.ts"
import type { Deployment } from "../../deploy/release/deployments.ts"
import { type Change, changesOf } from "../../environment/effective/facts.ts"
import { readMigrations } from "../../environment/own-names.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import { type OperationOptions, planEvents } from "../stack/stack.ts"
import { compareContent, type Content, describe } from "./content.ts"
import { type Drift, findDrift } from "./drift.ts"
import { readLive } from "./live.ts"
import { type EngineSteps, quiet, readSteps, type Step, stepOfType } from "./step.ts"

export type PlannedStep = {
  operation: string
  type: string
  name: string
  /** Its name in the account, such as a host. */
  called: string | undefined
  /** Property paths that differ. */
  differences: string[]
  replacing: string[]
  protected: boolean
}

/** Everything that `up` would do, without values of secrets. */
export type Plan = Content & {
  stack: string
  /** Digest of everything that decides what will happen: see `digestOf`. */
  digest: string
  changed: boolean
  /** Numbers of resources by the engine's operation. */
  changes: Record<string, number>
  /** The live deployment; null if there is none. */
  live: Deployment | null
  /** Whether the stack has been deployed before. */
  deployed: boolean
  /** Changes of the effective file's facts since the last successful `up`. */
  facts: Change[]
  /** False if no `up` of this stack has recorded facts: then every fact is new. */
  compared: boolean
  /** Digest of all facts of the effective file. */
  configuration: string
  migrations: PendingMigration[]
  /** Files that another tool applied; `up` records their checksums. */
  unrecorded: string[]
  /** Bundles before and after; null if no version is uploaded. */
  version: { before: string | undefined; after: string | undefined } | null
  /** Percentages of the traffic, and `bake` seconds at each; null if no version is released. */
  traffic: { first: boolean; steps: number[]; bake: number; limits?: unknown } | null
  steps: PlannedStep[]
  drift: Drift[]
  /** Name of the protected database that the account no longer has, and `up` would recreate empty. */
  lostDatabase: string | undefined
}

export function makePlan(options: {
  stack: string
  engine: EngineSteps
  files: Migration[]
  live: Deployment | undefined
}): Plan {
  const { stack, engine, files, live = null } = options
  const { steps, changes } = engine
  const effectiveSteps = steps.filter(({ operation }) => !quiet.has(operation))
  const drift = findDrift(engine.refreshed)
  const version = stepOfType(steps, "Version")
  const facts = factsIn(stepOfType(steps, "Verification"))
  const visibleSteps = effectiveSteps.filter(({ internal }) => !internal)
  const plan = {
    stack,
    changed: visibleSteps.length + facts.facts.length + drift.length > 0,
    live,
    deployed: steps.some(({ internal, before }) => !internal && before !== undefined),
    ...facts,
    ...compareContent(version),
    ...migrationsIn(stepOfType(steps, "Migrations"), files),
    version: bundlesOf(version),
    traffic: trafficOf(stepOfType(steps, "Release")),
    drift,
    lostDatabase: findLostDatabase(engine),
  }
  const digest = digestOf({ ...plan, made: effectiveSteps.map(plannedStep) })
  return { ...plan, digest, changes, steps: visibleSteps.map(plannedStep) }
}

/**
 * Digests everything that decides what will happen, and nothing that differs from run to run: the whole plan
 * except the author, time and id of the live deployment.
 */
function digestOf({
  live,
  ...plan
}: Omit<Plan, "digest" | "changes" | "steps"> & { made: PlannedStep[] }): string {
  const serving = live?.split.toSorted((part, nextPart) =>
    part.versionId < nextPart.versionId ? -1 : 1,
  )
  return hashOf({ ...plan, serving: serving ?? null }).slice(0, 32)
}

function hashOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(ordered(value)))
    .digest("hex")
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).toSorted(([name], [nextName]) => (name < nextName ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]))
}

const Facts = z.object({ facts: z.record(z.string(), z.string()) })

/** Compares facts. The last resource records them, so recorded facts come from a successful `up`. */
function factsIn(step: Step | undefined): Pick<Plan, "facts" | "compared" | "configuration"> {
  const old = Facts.safeParse(step?.before?.inputs).data?.facts
  const now = Facts.safeParse(step?.after?.inputs).data?.facts ?? {}
  const facts = changesOf(new Map(Object.entries(old ?? {})), new Map(Object.entries(now)))
  return { compared: old !== undefined, configuration: hashOf(now), facts }
}

function migrationsIn(step: Step | undefined, files: Migration[]) {
  const { pending, unrecorded } = pendingMigrations(step, files)
  return { migrations: pending, unrecorded }
}

function bundlesOf(step: Step | undefined): Plan["version"] {
  if (step === undefined || quiet.has(step.operation)) return null
  const [before, after] = [step.before?.inputs["bundle"], step.after?.inputs["bundle"]]
  return { before: describe(before), after: describe(after) }
}

const Gradual = z.object({
  steps: z.array(z.number()),
  bake: z.number().default(0),
  limits: z.unknown().optional(),
})

function trafficOf(step: Step | undefined): Plan["traffic"] {
  if (step === undefined || quiet.has(step.operation)) return null
  return { first: step.before === undefined, ...Gradual.parse(step.after?.inputs) }
}

function plannedStep(step: Step): PlannedStep {
  const { operation, type, name, before, after, differences, replacing } = step
  const state = after ?? before
  const { hostname, pattern } = state?.inputs ?? {}
  return {
    operation,
    type,
    name,
    called: describe(hostname ?? pattern),
    differences: Object.keys(differences).toSorted(),
    replacing: replacing.toSorted(),
    protected: state?.protect ?? false,
  }
}

/** Returns undefined for a first deployment, and for a preview, whose database is not protected. */
export function findLostDatabase({ steps, refreshed }: EngineSteps): string | undefined {
  const step = stepOfType(refreshed, "D1Database")
  const creation = stepOfType(steps, "D1Database")
  const isGone = step !== undefined && step.after === undefined
  const isMade = creation?.operation === "create" && creation.after?.protect === true
  return isGone && isMade ? describe(creation.after?.inputs["name"]) : undefined
}

/** @throws Failure if a database is lost and `recreated` is not its name */
export function expectDatabase(
  { lostDatabase: lost }: Pick<Plan, "lostDatabase">,
  place: StackPlace,
  recreated: string | undefined,
): void {
  if (lost === undefined || lost === recreated) return
  throw new Failure(
    "COMMAND_FAILED",
    `The database ${lost} of ${place.stack} is gone, and up would serve from an empty one. Nothing was changed. ` +
      `Ask those with access to the account; Time Travel keeps nothing of a database that was deleted. ` +
      `Look first at the newest backup: ${nextCommand("database backups", place, '--from "$ACCOUNTS_BACKUPS"')}. ` +
      `Then recreate it: ${nextCommand("up", place, `--recreate-database ${lost}`)}, and restore its rows: ${nextCommand("database restore", place, "--file FILE")}.`,
  )
}

/** Lets the engine plan an `up`, and returns the plan. */
export async function readPlan(stack: Stack, options: OperationOptions): Promise<Plan> {
  const engine = readSteps(await planEvents(stack, options))
  const live = await readLive(engine, stack)
  const files = await readMigrations(migrationsDirectory)
  return makePlan({ stack: stack.name, engine, files, live })
}

/** @throws Failure unless the plan's digest is the approved digest */
export function expectPlan({ stack, digest }: Plan, approved: string): void {
  if (digest === approved) return
  throw new Failure(
    "COMMAND_FAILED",
    `What up would change in ${stack} now is not the plan ${approved}: its digest is ${digest}. ` +
      `Nothing was changed. Read the plan above, and approve it by its digest.`,
  )
}

type PendingMigration = {
  name: string
  sha256: string
  /** Its class, such as `expand`. */
  class: string
  /** Why it will be refused. */
  objections: string[]
}

const Recorded = z.object({
  files: z.array(z.object({ name: z.string(), sha256: z.string().optional() })),
})

/** Returns the files that `up` will apply, each judged on the schema before it. */
function pendingMigrations(
  step: Step | undefined,
  files: Migration[],
): { pending: PendingMigration[]; unrecorded: string[] } {
  if (step === undefined || step.operation === "same") return { pending: [], unrecorded: [] }
  const isNew = step.before === undefined || step.operation === "replace"
  const applied = isNew ? [] : Recorded.parse(step.before?.outputs).files
  const { pending, unrecorded } = findPending(files, applied)
  return {
    unrecorded: unrecorded.map(({ name }) => name),
    pending: judgeEach(files, (file) => pending.includes(file), { isEmpty: isNew }).map(
      ({ file: { name, sha256 }, classification, objections }) => ({
        name,
        sha256,
        class: classification.class,
        objections,
      }),
    ),
  }
}
