import { resolve } from "node:path"

import { applyMigrations, judgeAfter, refusePending } from "@accounts-stack/d1-migrations"
import { type Database, type Ledger, restoreCommand } from "@accounts-stack/d1-migrations/d1"
import {
  findPending,
  HistoryMismatch,
  type Migration,
  nameProblem,
} from "@accounts-stack/d1-migrations/files"
import { PartlyDone } from "@accounts-stack/pulumi-host"
import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import * as z from "zod"

import { isFailure, messageOf } from "../../base/failure.ts"
import { infraDirectory } from "../../base/root.ts"
import { openDatabase, ownNames, readMigrations } from "../../environment/own-names.ts"
import { undefinedIfNotFound } from "../api.ts"
import { currentCommit } from "../release/provenance.ts"
import type { Change, Context, Diff, Properties, Resource } from "../resource.ts"
import { parseSchemaUse, readLiveUses } from "../version/schema-use.ts"
import { protectUsers, type SchemaUsers } from "./refusals.ts"

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
  /** The Worker whose versions use the database. */
  scriptName: z.string().min(1),
  /** Whether to refuse a migration that breaks a version with traffic; false only reports it. */
  protectLive: z.boolean(),
  /** The schema use of the version to release, in the format of its binding. */
  schemaUse: z
    .string()
    .refine((text) => parseSchemaUse(text) !== undefined, "schemaUse is no text of SCHEMA_USE")
    .optional(),
  /** The command that recreates this database without its rows; undefined if that is not allowed. */
  fresh: z.string().optional(),
})
export type Inputs = z.infer<typeof Inputs>

/** Inputs that a preview knows; the ids may still be unknown. */
const Declared = z.object({ directory: z.string(), files: Files, fresh: z.string().optional() })

const Known = z.string().refine((value) => value !== unknownValue)
const Worker = Inputs.pick({ protectLive: true, schemaUse: true })
  .extend({ accountId: Known, scriptName: Known })
  .strip()
type Worker = z.infer<typeof Worker>

/** Outputs in state. A file that another tool applied has no checksum. */
const Recorded = z.object({
  accountId: z.string(),
  databaseId: z.string(),
  files: z.array(z.object({ name: z.string(), sha256: z.string().optional() })),
})

/** The schema of one D1 database: its migrations, in order. */
export const migrations: Resource = {
  inputs: Inputs,
  refreshBeforeUpdate: true,

  diff({ olds, inputs }): Diff {
    const recorded = Recorded.parse(olds)
    const replaced = ["accountId", "databaseId"].filter((key) => olds[key] !== inputs[key])
    if (replaced.length > 0) return Object.fromEntries(replaced.map((key) => [key, "replace"]))
    const past = errorOr(() => {
      const files = Files.parse(inputs["files"])
      return { files, ...findPending(files, recorded.files) }
    })
    // Preview and update refuse a mismatch. A refresh must tolerate it: an interrupted run or another
    // branch may have applied migrations that are not in state.
    if (past instanceof Error) return { files: "update" }
    const { files, pending, unrecorded } = past
    return {
      ...Object.fromEntries(unrecorded.map((file) => [`files[${files.indexOf(file)}]`, "update"])),
      ...Object.fromEntries(pending.map((file) => [`files[${files.indexOf(file)}]`, "add"])),
    }
  },

  async preview({ inputs, olds }, { api, log }) {
    const files = Files.safeParse(inputs["files"])
    if (!files.success) return inputs
    const recordedFiles = olds === undefined ? [] : Recorded.parse(olds).files
    const { pending } = await withWayOut(inputs["fresh"], () =>
      findPending(files.data, recordedFiles, ownNames),
    )
    if (pending.length > 0) log.info(`pending: ${pending.map((file) => file.name).join(", ")}`)
    const worker = Worker.safeParse(inputs).data
    if (pending.length > 0 && (recordedFiles.length > 0 || worker?.schemaUse !== undefined)) {
      const declared = await readDeclared(Declared.parse(inputs))
      // False if the database is new, or another tool migrated it: only `up` can read its rows.
      const guarded = recordedFiles.length > 0
      const judged = judgeAfter(
        declared.slice(0, recordedFiles.length),
        declared.slice(recordedFiles.length),
        { isEmpty: !guarded },
      )
      const complete = judged.length === pending.length
      const users = worker && protectUsers(usersOf(worker, api), log)
      await refusePending({ judged, complete, guarded }, users)
      for (const { doubts } of guarded ? judged : []) {
        if (doubts !== undefined) log.warn(doubts)
      }
    }
    const way = pending.length > 0 ? unknownWay : (WayBack.safeParse(olds).data ?? {})
    return { ...inputs, head: files.data.at(-1)?.name, ...way }
  },

  async create({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    return { id: parsed.databaseId, outputs: await migrate(parsed, context) }
  },

  async update({ inputs }: Change, context) {
    return migrate(Inputs.parse(inputs), context)
  },

  async read({ id, outputs, inputs }, { api, ofEngine }) {
    const recorded = Recorded.safeParse(outputs)
    if (!recorded.success) {
      throw new Error(
        "Migrations cannot be imported: declare it, and its creation adopts the existing ledger",
      )
    }
    const { accountId, databaseId } = recorded.data
    const database = openDatabase({ api: api(), accountId, databaseId })
    const ledger = await undefinedIfNotFound(database.ledger())
    if (ledger === undefined) {
      // Throws before the engine creates another database: `pulumi up` does not ask for confirmation.
      if (ofEngine && inputs["fresh"] === undefined) throw lost(databaseId)
      return undefined
    }
    const { applied } = ledger
    const head = applied.at(-1)?.name ?? ""
    const live = { files: applied, head, ...wayBackIn(ledger, { databaseId, head }) }
    return { id, outputs: { ...outputs, ...live }, inputs: { ...inputs, files: applied } }
  },
}

function lost(databaseId: string) {
  return new Error(
    `The database ${databaseId} of this permanent environment is gone, and up would serve from an empty one. ` +
      "Run `./accounts plan` and `./accounts up` with -s and the stack instead: they say where to look for its rows, and make another one by --recreate-database with its name.",
  )
}

function errorOr<Value>(act: () => Value): Value | Error {
  try {
    return act()
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error))
  }
}

/** If the history does not match, such as after a rebase, adds the command that recreates the database. */
async function withWayOut<Value>(
  fresh: unknown,
  act: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof HistoryMismatch) || typeof fresh !== "string") throw error
    const message = `${error.message} Or make this database again, without its rows: ${fresh}`
    throw new HistoryMismatch(message, { cause: error })
  }
}

async function migrate(inputs: Inputs, { api, log }: Context): Promise<Properties> {
  const files = await readDeclared(inputs)
  const database = openDatabase({ api: api(), ...inputs })
  try {
    const beforeSending = protectUsers(usersOf(inputs, api), log)
    const commit = () => currentCommit(process.env)
    await withWayOut(inputs.fresh, () =>
      applyMigrations({ database, files, log, beforeSending, commit }),
    )
  } catch (error) {
    if (!isFailure(error, "MIGRATION_FAILED")) throw error
    const { applied } = error.facts
    const last = applied.at(-1)
    if (last === undefined) throw error
    const way = await wayBackOf(database, last.name).catch(() => ({}))
    const outputs = { ...inputs, files: applied, head: last.name, ...way }
    throw new PartlyDone(error.message, { id: inputs.databaseId, outputs, cause: error })
  }
  const head = files.at(-1)?.name
  return { ...inputs, head, ...(await wayBackOf(database, head)) }
}

function usersOf({ protectLive, schemaUse, ...worker }: Worker, api: Context["api"]): SchemaUsers {
  const { accountId, scriptName } = worker
  return {
    live: () => readLiveUses({ api: api(), accountId, scriptName }),
    own: schemaUse === undefined ? undefined : parseSchemaUse(schemaUse),
    protectLive,
  }
}

/** The bookmark before the newest migration, and the command that restores it. */
const WayBack = z.object({ bookmark: z.string(), restore: z.string() })

const unknownWay = { bookmark: unknownValue, restore: unknownValue }

async function wayBackOf(database: Database, head: string | undefined): Promise<Properties> {
  return wayBackIn(await database.ledger(), { databaseId: database.databaseId, head })
}

type Moment = { databaseId: string; head: string | undefined }

/** Returns an empty object if another tool applied the newest migration. */
function wayBackIn({ records }: Ledger, { databaseId, head }: Moment): Properties {
  const bookmark = records.get(head ?? "")?.bookmark
  if (bookmark === undefined || bookmark === null) return {}
  return { bookmark, restore: restoreCommand(databaseId, bookmark) }
}

/** @throws Error when a file changed after the program declared it */
async function readDeclared({ directory, files }: z.infer<typeof Declared>): Promise<Migration[]> {
  const migrationsInFolder = await readMigrations(resolve(infraDirectory, directory))
  return files.map(({ name, sha256 }) => {
    const file = migrationsInFolder.find((candidate) => candidate.name === name)
    if (file?.sha256 === sha256) return file
    throw new Error(
      `${name} in ${directory} ${file ? "changed" : "disappeared"} after the program had read it; ` +
        `run again to deploy it as it is now`,
    )
  })
}
