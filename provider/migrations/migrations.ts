import { resolve } from "node:path"

import * as z from "zod"

import { ApiError } from "../api.ts"
import { type Context, type Diff, PartialFailure, type Properties } from "../protocol/resource.ts"
import type { Change, Resource } from "../protocol/resource.ts"
import { MigrationFailure, applyMigrations } from "./apply.ts"
import { type Database, openDatabase } from "./database.ts"
import { comparePast } from "./history.ts"
import { type Migration, nameProblem, readMigrations } from "./migration-files.ts"

const File = z.strictObject({
  name: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "sha256 is 64 hexadecimal digits"),
})

const Files = z.array(File).superRefine((files, context) => {
  const problem = nameProblem(files.map((file) => file.name))
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem })
})

const Inputs = z.strictObject({
  accountId: z.string().min(1),
  databaseId: z.string().min(1),
  /** Relative to `infra/`, or absolute. */
  directory: z.string().min(1),
  files: Files,
})
type Inputs = z.infer<typeof Inputs>

/** What state holds of the past: a checksum is missing where another tool applied the file. */
const Recorded = z.object({
  accountId: z.string(),
  databaseId: z.string(),
  files: z.array(z.object({ name: z.string(), sha256: z.string().optional() })),
})

/** Cloudflare's code; other 404s mean that the request went to the wrong place. */
const noSuchDatabase = 7404

const infra = resolve(import.meta.dirname, "../../infra")

/** The schema of one D1 database, as far as the migrations of this release bring it. */
export const migrations: Resource = {
  inputs: Inputs,

  diff({ olds, inputs }): Diff {
    const recorded = Recorded.parse(olds)
    const moved = ["accountId", "databaseId"].filter((key) => olds[key] !== inputs[key])
    if (moved.length > 0) return Object.fromEntries(moved.map((key) => [key, "replace"]))
    const files = Files.parse(inputs["files"])
    const past = refusable(() => comparePast(files, recorded.files))
    // Refused where it is previewed and applied. Not here: a refresh asks too, and what it then compares
    // is a ledger that an interrupted run took further than state knows.
    if (past instanceof Error) return { files: "update" }
    const { pending, unrecorded } = past
    return {
      ...Object.fromEntries(unrecorded.map((file) => [`files[${files.indexOf(file)}]`, "update"])),
      ...Object.fromEntries(pending.map((file) => [`files[${files.indexOf(file)}]`, "add"])),
    }
  },

  async preview({ inputs, olds }, { log }) {
    const files = Files.safeParse(inputs["files"])
    if (!files.success) return inputs
    const known = olds === undefined ? [] : Recorded.parse(olds).files
    const { pending } = comparePast(files.data, known)
    if (pending.length > 0) log.info(`pending: ${pending.map((file) => file.name).join(", ")}`)
    return { ...inputs, head: files.data.at(-1)?.name }
  },

  async create({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    return { id: parsed.databaseId, outputs: await bringUp(parsed, context) }
  },

  async update({ inputs }: Change, context) {
    return bringUp(Inputs.parse(inputs), context)
  },

  async read({ id, outputs, inputs }, { api }) {
    const recorded = Recorded.safeParse(outputs)
    if (!recorded.success) {
      throw new Error(
        "Migrations is not imported: declare it, and its creation adopts the ledger that is there",
      )
    }
    const { accountId, databaseId } = recorded.data
    const database = openDatabase({ api: api(), accountId, databaseId })
    const applied = await appliedUnlessGone(database)
    if (applied === undefined) return undefined
    const live = { files: applied, head: applied.at(-1)?.name ?? "" }
    return { id, outputs: { ...outputs, ...live }, inputs: { ...inputs, files: applied } }
  },
}

/** The refusal itself, for whoever may not throw it. */
function refusable<Value>(compare: () => Value): Value | Error {
  try {
    return compare()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function bringUp(inputs: Inputs, { api, log }: Context): Promise<Properties> {
  const files = await readDeclared(inputs)
  const database = openDatabase({ api: api(), ...inputs })
  try {
    await applyMigrations({ database, files, log })
  } catch (error) {
    if (!(error instanceof MigrationFailure) || error.applied.length === 0) throw error
    const head = error.applied.at(-1)?.name
    const outputs = { ...inputs, files: error.applied, head }
    throw new PartialFailure(error.message, { id: inputs.databaseId, outputs }, { cause: error })
  }
  return { ...inputs, head: files.at(-1)?.name }
}

/** The files as they were when the program declared them: not as somebody edited them since. */
async function readDeclared({ directory, files }: Inputs): Promise<Migration[]> {
  const found = await readMigrations(resolve(infra, directory))
  return files.map(({ name, sha256 }) => {
    const file = found.find((candidate) => candidate.name === name)
    if (file?.sha256 === sha256) return file
    throw new Error(
      `${name} in ${directory} ${file ? "changed" : "disappeared"} after the program had read it; ` +
        `run again to deploy it as it is now`,
    )
  })
}

async function appliedUnlessGone(database: Database) {
  try {
    return await database.applied()
  } catch (error) {
    if (error instanceof ApiError && error.code === noSuchDatabase) return undefined
    throw error
  }
}
