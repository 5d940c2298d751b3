import { openDatabase } from "../../d1/database.ts"
import { sqliteD1 } from "../../d1/sqlite.ts"
import { isFailure, messageOf } from "../../failure.ts"
import { parseMigration } from "../../files/migration-files.ts"
import type { Case } from "../../lint/testing/cases.ts"
import { applyMigrations } from "../apply.ts"
import { type Content, everyCell } from "./every-cell.ts"

const log = { info: () => undefined, warn: () => undefined }

type Applied = {
  up: "applied" | "refused" | "failed"
  /** Why it was not applied. */
  said: string
  before: Content
  after: Content
}

/** Applies a file to a database that the earlier file has made and people have filled. */
export async function applyCase({
  before: schema,
  rows,
  change,
}: Pick<Case, "before" | "rows" | "change">): Promise<Applied> {
  using d1 = sqliteD1()
  const database = openDatabase(d1)
  const files = [schema, change].map((sql, index) =>
    parseMigration(`000${index + 1}_file.sql`, Buffer.from(sql)),
  )
  await applyMigrations({ database, files: files.slice(0, 1), log })
  await d1.change(rows)
  const before = await everyCell(d1)
  let message = ""
  const up = await applyMigrations({ database, files, log }).then(
    () => "applied" as const,
    (error: unknown) => {
      message = messageOf(error)
      if (isFailure(error, "MIGRATION_REFUSED")) return "refused" as const
      if (isFailure(error, "MIGRATION_FAILED")) return "failed" as const
      throw error
    },
  )
  return { up, said: message, before, after: await everyCell(d1) }
}
