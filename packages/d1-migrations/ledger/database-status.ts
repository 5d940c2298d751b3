import { styleText } from "node:util"

import { onRows } from "../apply/empty-tables.ts"
import { describeUnrecorded, differencesFrom } from "../baseline/baseline.ts"
import type { Database } from "../d1/database.ts"
import type { Migration } from "../files/migration-files.ts"
import { judgeOn } from "../judgement/judgement.ts"
import { schemaAfter } from "../lint/earlier-schema.ts"
import type { Names } from "../names.ts"
import { readSchema } from "../schema/schema.ts"
import { hasTables, type SchemaObject } from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"
import {
  compareMigrations,
  historyProblems,
  type MigrationState,
  type MigrationStatus,
} from "./migration-status.ts"

export type MigrationsStatus = {
  migrations: MigrationStatus[]
  /** Problems that the user must solve; empty if there are none. */
  attention: string[]
}

/** Compares the files with a database. Classifies the pending files on the database's schema. */
export async function readMigrationsStatus(
  database: Database,
  files: Migration[],
): Promise<MigrationsStatus> {
  const [recorded, objects] = await Promise.all([database.recorded(), database.objects()])
  const { names } = database
  const compared = compareMigrations(files, recorded)
  const states = new Map(compared.map(({ name, state }) => [name, state]))
  const pending = files.filter(({ name }) => states.get(name) === "pending")
  const problems = historyProblems(files, recorded, names)
  const judged = await onRows(database, judgeOn({ objects, pending, past: [], names }))
  return {
    migrations: compared.map((migrationStatus): MigrationStatus => {
      const judgedFile = judged.find(({ file }) => file.name === migrationStatus.name)
      return Object.assign(
        migrationStatus,
        judgedFile && { class: judgedFile.classification.class },
      )
    }),
    attention: [
      ...problems,
      ...(problems.length === 0 ? unrecordedOf(compared, files, objects) : []),
      ...(recorded.applied.length > 0 ? [] : unrecordedIn(objects, files, names)),
      ...(hasTables(objects) ? judged.flatMap(({ objections }) => objections) : []),
    ],
  }
}

/** Compares the schema with files that another tool applied, because no checksum would reveal an edit. */
function unrecordedOf(
  compared: MigrationStatus[],
  files: Migration[],
  objects: SchemaObject[],
): string[] {
  const unrecorded = compared.filter(({ state }) => state === "unrecorded")
  const past = files.slice(0, compared.filter(({ state }) => state !== "pending").length)
  const differences = unrecorded.length === 0 ? [] : differencesFrom(past, objects)
  return differences.length === 0 ? [] : [describeUnrecorded(unrecorded, differences)]
}

/** Reports a database that another tool has migrated: it has tables of the files, but no ledger. */
function unrecordedIn(objects: SchemaObject[], files: Migration[], names: Names): string[] {
  const { database } = schemaAfter(files)
  using fromFiles = database
  const fileTables = new Set(readSchema(fromFiles).map(({ name }) => folded(name)))
  const schemaObjects = objects.filter(
    ({ type, name }) => type === "table" && fileTables.has(folded(name)),
  )
  if (schemaObjects.length === 0) return []
  const list = schemaObjects.slice(0, 3).map(({ name }) => name)
  return [
    `no file is recorded, but the database has what they make (${list.join(", ")}): another tool has migrated it, and \`${names.command} baseline\` records which files it has`,
  ]
}

const colours: Partial<Record<MigrationState, "green" | "yellow">> = {
  applied: "green",
  unrecorded: "green",
  pending: "yellow",
}

/** Formats the status for the terminal. */
export function describeMigrations({ migrations, attention }: MigrationsStatus): string {
  const nameWidth = Math.max(...migrations.map(({ name }) => name.length), 0)
  const stateWidth = Math.max(...migrations.map(({ state }) => state.length), 0)
  const lines = migrations.map(({ name, state, class: kind, appliedAt, renamedTo }) => {
    const painted = styleText(colours[state] ?? "red", state.padEnd(stateWidth))
    const now = renamedTo === undefined ? "" : `now ${renamedTo}`
    const facts = [appliedAt ?? "", kind ?? "", now].filter((text) => text !== "")
    return `  ${name.padEnd(nameWidth)}  ${painted}  ${facts.join("  ")}`.trimEnd()
  })
  return [
    ...(lines.length > 0 ? lines : ["  no migration is applied, and none is pending"]),
    "",
    ...(attention.length > 0
      ? attention.map((text) => `${styleText("red", "✗")} ${text}`)
      : [`${styleText("green", "✓")} Nothing needs attention.`]),
  ].join("\n")
}
