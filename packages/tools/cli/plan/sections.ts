import { describeMove, describeSplit, withTraffic } from "../../deploy/release/deployments.ts"
import type { Change } from "../../environment/effective/facts.ts"
import {
  describeTime,
  rotationWindow,
  type Rotation,
  secretRotations,
} from "../../environment/secrets.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import {
  changeLine,
  consequencesOf,
  factSections,
  type Line,
  migrationLines,
  type Section,
} from "../review/change-text.ts"
import { describeDrift, type Drift, explainDrift } from "./drift.ts"
import type { Plan, PlannedStep } from "./plan.ts"

/** Returns the sections of a plan that are not empty. */
export function sectionsOf(
  plan: Plan,
  here: StackPlace = { stack: plan.stack, local: false },
): Section[] {
  // These replace sections of the facts, because the engine compared the values themselves.
  const ofEngine: Record<string, Section[]> = {
    secrets: [{ title: "secrets", lines: secretLines(plan) }],
    bindings: [{ title: "bindings", lines: bindingLines(plan) }],
    migrations: [
      { title: "migrations", lines: pendingLines(plan) },
      { title: "version", lines: versionLines(plan) },
      { title: "traffic", lines: trafficLines(plan) },
    ],
  }
  const sections = [
    { title: "danger", lines: dangersOf(plan, here).map((text): Line => ({ sign: "!", text })) },
    ...factSections(plan.facts).flatMap((section) => ofEngine[section.title] ?? [section]),
    { title: "drift", lines: explainDrift(plan).rows.map(driftLine) },
    { title: "steps", lines: plan.steps.map(stepLine) },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

/** Changes that cannot be undone, or that every member notices. */
function dangersOf(plan: Plan, place: StackPlace): string[] {
  const { facts, compared, live } = plan
  const destructive = plan.migrations.filter((migration) => migration.class === "destructive")
  // The engine compares bindings with the live version; bindings of the effective files would be duplicates.
  const noticed = [
    ...(compared ? facts.filter(({ section }) => section !== "bindings") : []),
    ...(live === null ? [] : bindingChanges(plan)),
  ]
  return [
    ...movesOf(plan),
    ...lostDatabase(plan, place),
    ...lossesOf(plan.steps),
    ...destructive.map(({ name }) => `LOSES ROWS: ${name}`),
    ...consequencesOf(noticed).map((text) =>
      text.replace(/^[^:]+(?=:)/, (words) => words.toUpperCase()),
    ),
    ...replacedSecrets(plan).map(
      ({ name, loses }) => `${loses}: ${name} becomes another one, and the one before is not kept`,
    ),
  ]
}

/** A rollback or restore, or the result of a failed release, that this `up` would undo. */
function movesOf(plan: Plan): string[] {
  const { live, traffic } = plan
  const last = live === null || traffic === null ? undefined : describeMove(live)
  const move = explainDrift(plan).own ?? last
  return move === undefined ? [] : [`${move.done}: ${move.up}`]
}

function lostDatabase({ lostDatabase: lost }: Plan, place: StackPlace): string[] {
  if (lost === undefined) return []
  return [
    `THE DATABASE ${lost} IS GONE, and another one is made, EMPTY: up takes --recreate-database ${lost}`,
    `Time Travel keeps nothing of what was deleted; see the newest backup first: ${nextCommand("database backups", place)}`,
  ]
}

function lossesOf(steps: PlannedStep[]): string[] {
  return steps
    .filter(({ operation }) => /^(?:replace|delete)$/.test(operation))
    .map((step) => {
      const { operation, replacing } = step
      const why = replacing.length > 0 ? ` because of ${replacing.join(", ")}` : ""
      return `${operation.toUpperCase()}S ${nameOf(step)}${why}`
    })
}

function secretLines(plan: Plan): Line[] {
  const { secrets, facts, compared, version } = plan
  const origins = facts.filter(({ section }) => section === "secrets")
  const originOf = (name: string) => origins.find(({ key }) => key === name)
  const lines = secrets.map(({ name, change }): Line => {
    const { after = "" } = originOf(name) ?? {}
    const note = after === "" ? "" : ` (${after})`
    const value = change === "changed" ? ": another value" : ""
    const sign = change === "added" ? "+" : change === "removed" ? "-" : "~"
    return { sign, text: `${name}${value}${note}` }
  })
  const listed = new Set(secrets.map(({ name }) => name))
  const sealed = origins
    // The list above has all secrets of a first deployment, except the headers.
    .filter(({ key }) => !listed.has(key))
    .map(({ key, before, after }): Line => {
      const isSameValue = compared && !key.startsWith("header ") && before !== undefined
      const note = isSameValue && version === null ? "the same value, sealed again: " : ""
      const { sign } = changeLine({ section: "secrets", key, before, after })
      return { sign, text: `${key}: ${note}${after ?? "no longer there"}` }
    })
  const rotations = rotationsOf(plan).map((text): Line => ({ sign: "~", text }))
  return [...rotations, ...lines, ...sealed]
}

function bindingChanges({ bindings }: Plan): Change[] {
  return bindings.map(({ name: key, ...values }) => ({ section: "bindings", key, ...values }))
}

function bindingLines(plan: Plan): Line[] {
  const lines = bindingChanges(plan).map(changeLine)
  if (!plan.hidden) return lines
  const text = "the engine hides them, so what changes in them is NOT KNOWN"
  return [{ sign: "!", text }, ...lines]
}

function pendingLines({ migrations, unrecorded }: Plan): Line[] {
  return [
    ...migrationLines(migrations.map((migration) => ({ ...migration, kind: migration.class }))),
    ...unrecorded.map((name): Line => {
      return { sign: "~", text: `${name}: applied by another tool, its checksum is recorded` }
    }),
  ]
}

function versionLines({ version, settings }: Plan): Line[] {
  if (version === null) return []
  const [before, after] = [version.before?.slice(0, 12), version.after?.slice(0, 12)]
  // The settings of a first version are among the facts.
  if (before === undefined) return [{ sign: "+", text: `bundle ${after}` }]
  const text =
    before === after
      ? `the same bundle ${after}, with other bindings or settings`
      : `bundle ${before} → ${after}`
  const changes = settings.map(({ name: key, ...values }) => ({
    section: "runtime",
    key,
    ...values,
  }))
  return [{ sign: "~", text }, ...changes.map(changeLine)]
}

function trafficLines({ traffic, live }: Plan): Line[] {
  if (traffic === null) return []
  const percentages = traffic.steps.map((step) => `${step} %`).join(", ")
  if (live === null) return [{ sign: "+", text: "all at once: nothing serves now" }]
  const [only, ...rest] = withTraffic(live.split)
  const back =
    rest.length === 0
      ? `version ${only?.versionId} serves again`
      : `${describeSplit(live.split)} serve again`
  const baked = traffic.bake > 0 ? `, ${traffic.bake} s at each` : ""
  const judged = traffic.limits ? ", judged by its traffic" : ""
  const text = `0 % for the trial, then ${percentages}${baked}${judged}; if it fails, ${back}`
  return [{ sign: "~", text }]
}

function driftLine(drift: Drift): Line {
  return { sign: "!", text: `${drift.resource}: ${describeDrift(drift)}` }
}

const signs: Record<string, Line["sign"]> = { create: "+", delete: "!", replace: "!" }

function stepLine(step: PlannedStep): Line {
  const { operation, differences } = step
  const paths =
    operation === "update" && differences.length > 0 ? `: ${differences.join(", ")}` : ""
  return { sign: signs[operation] ?? "~", text: `${operation} ${nameOf(step)}${paths}` }
}

const words: Record<string, string> = {
  CronTriggers: "crons",
  D1Database: "database",
  DatabaseIdentity: "identity of the database",
  HostCheck: "check of the host",
  Migrations: "schema",
  Release: "release",
  Secret: "generated secret",
  Verification: "verification of the host",
  Version: "version of the Worker",
  WorkersCustomDomain: "custom domain",
  WorkersRoute: "route",
}

function nameOf({ type, name, called, protected: guarded }: PlannedStep): string {
  const kind = words[type] ?? type
  return `${kind} ${called ?? name}${guarded ? " (protected)" : ""}`
}

type Changed = Pick<Plan, "bindings" | "secrets">

function changeOf({ secrets }: Changed, name: string) {
  return secrets.find((secret) => secret.name === name)?.change
}

/** Explains rotations: a sentence for each secret that is rotated, or whose rotation ends. */
function rotationsOf(plan: Changed): string[] {
  return secretRotations.flatMap((rotation) => sentenceOf(plan, rotation) ?? [])
}

function sentenceOf(plan: Changed, rotation: Rotation): string | undefined {
  const { name, previous, does, keeps } = rotation
  const time = plan.bindings.find((binding) => binding.name === `${name}_FROM`)
  const [before, after] = [
    rotationWindow(rotation, time?.before),
    rotationWindow(rotation, time?.after),
  ]
  const overlap = `${keeps} until ${after ? describeTime(after.until) : `${previous} is removed`}`
  if (isRotated(plan, rotation)) {
    const from = after ? ` and ${does} from ${describeTime(after.from)}` : ""
    return `${name} is rotated${from}: ${overlap}`
  }
  if (changeOf(plan, previous) === "removed") {
    const until = before ? `; it was needed until ${describeTime(before.until)}` : ""
    return `the rotation of ${name} ends: the former value is worth nothing any more${until}`
  }
  if (after === undefined) return undefined
  return `the rotation of ${name} has another time: it ${does} from ${describeTime(after.from)}, ${overlap}`
}

/** Whether a secret gets a new value and its former value is kept. */
function isRotated(plan: Changed, { name, previous }: Rotation): boolean {
  const change = changeOf(plan, previous)
  return changeOf(plan, name) === "changed" && (change === "added" || change === "changed")
}

/** Returns secrets that get a new value while the former value is not kept. */
function replacedSecrets(plan: Changed): Rotation[] {
  return secretRotations.filter(
    (rotation) => changeOf(plan, rotation.name) === "changed" && !isRotated(plan, rotation),
  )
}
