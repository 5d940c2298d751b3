import { readFileSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { migrationsDirectory } from "../../../base/root.ts"
import { parseMigration, readMigrations } from "../../../environment/own-names.ts"
import { makePlan, type Plan } from "../plan.ts"
import { EngineEvent, type EngineSteps, readSteps, stepOfType } from "../step.ts"

/** Written by `packages/tools/tests/testing/engine/record-plans.ts`: a heading, then a line of JSON for each event. */
export const recordings = join(import.meta.dirname, "recordings")

const Heading = z.object({
  /** Events that are those of `nothing`, by their keys. */
  same: z.array(z.string()),
  live: z
    .object({
      id: z.string(),
      split: z.array(z.object({ versionId: z.string(), percentage: z.number() })),
      author: z.string(),
      at: z.string(),
      message: z.string(),
    })
    .nullable(),
  /** Migrations that the edit added. */
  added: z.array(z.object({ name: z.string(), sql: z.string() })),
})
export type Heading = z.infer<typeof Heading>

/** Returns the same key for events of the same resource in the same part of a run. */
export function keyOfEvent(event: unknown): string {
  const { steps, refreshed } = readSteps([event])
  const [step] = [...steps, ...refreshed]
  return step ? `${steps.length} ${step.type} ${step.name}` : "summary"
}

function read(name: string): Heading & { events: unknown[] } {
  const text = readFileSync(join(recordings, `${name}.ndjson`), "utf8")
  const [heading, ...events] = text
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line))
  return { ...Heading.parse(heading), events: events.map((event) => EngineEvent.parse(event)) }
}

/** The engine's steps for an edit, whole. */
export function readRecording(name: string): Heading & { events: unknown[]; engine: EngineSteps } {
  const recording = read(name)
  const repeated = read("nothing").events.filter((event) =>
    recording.same.includes(keyOfEvent(event)),
  )
  const events = [...repeated, ...recording.events]
  return { ...recording, events, engine: readSteps(events) }
}

const Files = z.object({ files: z.array(z.object({ name: z.string() })) })

export async function planOfRecording(name: string): Promise<Plan> {
  const { engine, live, added } = readRecording(name)
  const declared = Files.parse(stepOfType(engine.steps, "Migrations")?.after?.inputs)
  const names = new Set(declared.files.map((file) => file.name))
  // More may have been written since.
  const migrations = (await readMigrations(migrationsDirectory)).filter((file) =>
    names.has(file.name),
  )
  const files = [
    ...migrations,
    ...added.map(({ name: file, sql }) => parseMigration(file, Buffer.from(sql))),
  ]
  return makePlan({ stack: "staging", engine, files, live: live ?? undefined })
}
