import { createHash } from "node:crypto"

import type { Migration } from "@accounts-stack/d1-migrations/files"
import * as z from "zod"

import type { Deployment } from "../../deploy/release/deployments.ts"
import type { Change } from "../../environment/effective/changes.ts"
import { type Content, compareContent, describe } from "./content.ts"
import { type Drift, findDrift } from "./drift.ts"
import { type PendingMigration, pendingMigrations } from "./pending.ts"
import { type EngineSteps, quiet, type Step, stepOfType } from "./step.ts"

export type PlannedStep = {
  operation: string
  type: string
  name: string
  /** What it is called in the account, such as a host. */
  called: string | undefined
  /** Property paths that differ. */
  differences: string[]
  replacing: string[]
  protected: boolean
}

/** What `up` would do. It holds no value of a secret. */
export type Plan = Content & {
  stack: string
  /** Over all that decides what will happen: `digestOf`. */
  digest: string
  changed: boolean
  /** Numbers of resources by the engine's operation. */
  changes: Record<string, number>
  /** What serves now; null when nothing does. */
  live: Deployment | null
  /** Whether anything of the stack has been deployed before. */
  deployed: boolean
  /** Facts of the effective file against those of the last `up` that ended well. */
  facts: Change[]
  /** False when no `up` of this stack has recorded any: then every fact is new. */
  compared: boolean
  /** Digest of all facts of the effective file. */
  configuration: string
  migrations: PendingMigration[]
  /** Files that another tool applied, whose checksums are recorded now. */
  unrecorded: string[]
  /** Bundles, where another version is uploaded. */
  version: { before: string | undefined; after: string | undefined } | null
  /** Percentages of the traffic, and seconds at each, where another version is released. */
  traffic: { first: boolean; steps: number[]; bake: number; limits?: unknown } | null
  steps: PlannedStep[]
  drift: Drift[]
}

export function makePlan(options: {
  stack: string
  engine: EngineSteps
  files: Migration[]
  live: Deployment | undefined
}): Plan {
  const { stack, engine, files, live = null } = options
  const { steps, changes } = engine
  const made = steps.filter(({ operation }) => !quiet.has(operation))
  const drift = findDrift(engine.refreshed)
  const version = stepOfType(steps, "Version")
  const found = factsIn(stepOfType(steps, "Verification"))
  const shown = made.filter(({ internal }) => !internal)
  const plan = {
    stack,
    changed: shown.length + found.facts.length + drift.length > 0,
    live,
    deployed: steps.some(({ internal, before }) => !internal && before !== undefined),
    ...found,
    ...compareContent(version),
    ...migrationsIn(stepOfType(steps, "Migrations"), files),
    version: bundlesOf(version),
    traffic: trafficOf(stepOfType(steps, "Release")),
    drift,
  }
  const digest = digestOf({ ...plan, made: made.map(plannedStep) })
  return { ...plan, digest, changes, steps: shown.map(plannedStep) }
}

/**
 * Stands for all that decides what will happen, and for nothing that differs from run to run: every
 * part of the plan but who deployed what serves now, when, and under which id of a deployment.
 */
function digestOf({
  live,
  ...plan
}: Omit<Plan, "digest" | "changes" | "steps"> & { made: PlannedStep[] }): string {
  const serving = live?.split.toSorted((one, other) => (one.versionId < other.versionId ? -1 : 1))
  return sha256({ ...plan, serving: serving ?? null }).slice(0, 32)
}

function sha256(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(ordered(value)))
    .digest("hex")
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]))
}

const Facts = z.object({ facts: z.record(z.string(), z.string()) })

/** Recorded by the last resource of all, so that they are those of an `up` that ended well. */
function factsIn(step: Step | undefined): Pick<Plan, "facts" | "compared" | "configuration"> {
  const old = Facts.safeParse(step?.before?.inputs).data?.facts
  const now = Facts.safeParse(step?.after?.inputs).data?.facts ?? {}
  const names = [...new Set([...Object.keys(now), ...Object.keys(old ?? {})])]
  return {
    compared: old !== undefined,
    configuration: sha256(now),
    facts: names
      .filter((name) => old?.[name] !== now[name])
      .map((name) => {
        const [section = "", ...key] = name.split(": ")
        return { section, key: key.join(": "), before: old?.[name], after: now[name] }
      }),
  }
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
