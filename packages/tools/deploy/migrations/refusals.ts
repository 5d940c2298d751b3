import type { BeforeSending, JudgedFile } from "@accounts-stack/d1-migrations"
import {
  describeMisfit,
  isSameName,
  type Misfit,
  misfitsOf,
  namesOf,
  newMisfits,
} from "@accounts-stack/d1-migrations/schema"
import type { Log } from "@accounts-stack/pulumi-host/log"

import type { LiveUses, SchemaUse } from "../version/schema-use.ts"

/** How the Worker of a database uses its schema. */
export type SchemaUsers = {
  /** Called only when a migration removes a name or adds a constraint. */
  live: () => Promise<LiveUses>
  /** The schema use of the version that the run releases. */
  own: SchemaUse | undefined
  /** False if no one depends on a version that fails for a while. */
  protectLive: boolean
}

type Refusal = Parameters<BeforeSending>[0] & { users: SchemaUsers; log: Log }

/** Refuses migrations that remove names that a version uses, before any of them is sent. */
export function protectUsers(users: SchemaUsers, log: Log): BeforeSending {
  return async (pending) => {
    const { judged, guarded } = pending
    const options = { ...pending, users, log }
    const reasons = [
      ...(guarded ? await breaksOfLive(options) : []),
      ...(users.own === undefined ? [] : breaksOfOwn(options, users.own)),
    ]
    const isRefused = reasons.length > 0 || judged.some(({ objections }) => objections.length > 0)
    if (guarded && !isRefused) await warnOfRules(options)
    return reasons
  }
}

const inTwoSteps =
  'One release cannot do both (docs/migrations.md, "Take a name away"): release the version that no longer uses it first, without this file, and then the file.'

async function breaksOfLive({ judged, users, log }: Refusal): Promise<string[]> {
  const taking = judged.filter(
    (judgedFile) => newMisfits(namesOf(judgedFile.before), judgedFile).length > 0,
  )
  if (taking.length === 0) return []
  const { live, former } = await users.live()
  const reasons = taking.flatMap((judgedFile) =>
    live.flatMap(({ versionId, percentage, use }) => {
      const serving = `version ${versionId}, which has ${percentage} % of the traffic`
      if (use === undefined) {
        const removals = describeAll(newMisfits(namesOf(judgedFile.before), judgedFile))
        return `${judgedFile.file.name} ${removals}, and ${serving}, does not say what it uses: it is older than that record, or of another tool. Release once without this file, and then with it.`
      }
      const broken = newMisfits(use.tables, judgedFile)
      if (broken.length === 0) return []
      return `${judgedFile.file.name} ${describeAll(broken)}, and ${serving}, ${usesIt(broken)} (built for ${use.head}). ${inTwoSteps}`
    }),
  )
  for (const judgedFile of taking) {
    const lost = former?.use === undefined ? [] : newMisfits(former.use.tables, judgedFile)
    if (former === undefined || lost.length === 0) continue
    log.warn(
      `${judgedFile.file.name} ${describeAll(lost)}: version ${former.versionId}, which served before, can then no longer be rolled back to`,
    )
  }
  if (users.protectLive) return reasons
  for (const reason of reasons) log.warn(`${reason} It is applied here anyway.`)
  return []
}

async function warnOfRules({ judged, users, log }: Refusal): Promise<void> {
  const ruling = judged.filter(({ classification }) => classification.tightens.length > 0)
  if (ruling.length === 0) return
  const { live } = await users.live()
  for (const judgedFile of ruling) {
    for (const { versionId, percentage, use } of live) {
      const rules = use === undefined ? [] : addedRules(judgedFile, use)
      if (rules.length === 0) continue
      log.warn(
        `${judgedFile.file.name} adds rules that version ${versionId}, which has ${percentage} % of the traffic, does not know (built for ${use?.head}): ${rules.join(", ")}. As long as it serves, what it writes against them fails. If it does that, release a version first that keeps them, without this file.`,
      )
    }
  }
}

/**
 * Describes new constraints on columns that a version knows. Whether its writes violate them is unknown,
 * so they only cause a warning.
 */
function addedRules({ classification, before }: JudgedFile, { tables }: SchemaUse): string[] {
  const tightenings = classification.tightens.filter(({ table, columns }) => {
    const used = Object.entries(tables).find(([name]) => isSameName(name, table))?.[1]
    const tableBefore = before.find(({ name }) => isSameName(name, table))
    if (used === undefined || tableBefore === undefined) return false
    // A version writes nothing to columns that it does not know, which only a condition may forbid.
    return (
      columns.length === 0 ||
      columns.some((name) => used.some((columnName) => isSameName(columnName, name)))
    )
  })
  return tightenings.map(({ kind, table, detail }) =>
    kind === "check" ? `check of ${table}: ${detail}` : `${kind} of ${table} (${detail})`,
  )
}

/** Lists conflicts with the version to release, which would make the release fail after the migration. */
function breaksOfOwn({ judged, complete }: Refusal, ownUse: SchemaUse): string[] {
  const conflicts = judged.flatMap((judgedFile) => {
    const broken = newMisfits(ownUse.tables, judgedFile)
    if (broken.length === 0) return []
    return [
      {
        reason: `${judgedFile.file.name} ${describeAll(broken)}, and the version of this release itself ${usesIt(broken)}: take it out of the tables in the code, or correct the file.`,
        broken,
      },
    ]
  })
  const last = judged.at(-1)
  if (!complete || last?.applies !== true) return conflicts.map(({ reason }) => reason)
  const conflictTexts = new Set(conflicts.flatMap(({ broken }) => broken.map(describeMisfit)))
  const missing = misfitsOf(ownUse.tables, last.after)
    .map(describeMisfit)
    .filter((name) => !conflictTexts.has(name))
  return [
    ...conflicts.map(({ reason }) => reason),
    ...missing.map(
      (name) =>
        `the version of this release does not fit the schema that ${last.file.name} leaves: ${name}. Write the migration for it (npm run migration -- --name NAME).`,
    ),
  ]
}

function describeAll(misfits: Misfit[]): string {
  const removedNames = misfits.filter(({ kind }) => kind !== "required").map(describeMisfit)
  const required = misfits.filter(({ kind }) => kind === "required").map(describeMisfit)
  return [
    ...(removedNames.length > 0 ? [`takes ${removedNames.join(", ")} away`] : []),
    ...(required.length > 0 ? [`adds ${required.join(", ")}`] : []),
  ].join(" and ")
}

function usesIt(misfits: Misfit[]): string {
  return misfits.some(({ kind }) => kind !== "required") ? "uses it" : "writes rows without it"
}
