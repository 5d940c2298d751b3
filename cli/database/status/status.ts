import { messageOf } from "../../../base/failure.ts"
import { judgeFile } from "../../../d1-migrations/classification/judgement.ts"
import type { Migration } from "../../../d1-migrations/files/migration-files.ts"
import { findPending } from "../../../d1-migrations/ledger/history.ts"
import {
  attentionFor,
  compareMigrations,
  type MigrationStatus,
} from "../../../d1-migrations/ledger/migration-status.ts"
import {
  readRecordedMigrations,
  type RecordedMigrations,
} from "../../../d1-migrations/ledger/recorded-migrations.ts"
import {
  type SchemaObject,
  scratchDatabaseOf,
} from "../../../d1-migrations/schema/scratch-database.ts"
import type { DeployedStack } from "../../stack/deployed-stack.ts"
import { readDetails } from "../d1-account.ts"
import { askLiveVersion, attentionForLive, type LiveVersion } from "../live-version.ts"

export type DatabaseStatus = {
  stack: string
  database: {
    id: string
    name: string
    /** Bytes. */
    size: number
    tables: number
    /** Of now, for Time Travel. */
    bookmark: string
  }
  version: LiveVersion
  migrations: MigrationStatus[]
  /** What somebody has to do; empty when all is well. */
  attention: string[]
}

type Site = Pick<
  DeployedStack,
  "stack" | "api" | "accountId" | "databaseId" | "database" | "address"
>

export async function readStatus(site: Site, files: Migration[]): Promise<DatabaseStatus> {
  const { stack, databaseId, database, address } = site
  const [details, bookmark, recorded, objects, version] = await Promise.all([
    readDetails(site),
    database.bookmark(),
    readRecordedMigrations(database),
    database.objects(),
    askLiveVersion(address),
  ])
  const compared = compareMigrations(files, recorded)
  const { migrations, objections } = judgePending({ compared, files, objects })
  const past = compared.flatMap((one) => attentionFor(one, database.names) ?? [])
  const { name, file_size: size, num_tables: tables } = details
  return {
    stack,
    database: { id: databaseId, name, size, tables, bookmark },
    version,
    migrations,
    attention: [
      ...(past.length > 0 ? past : refusalOf(files, recorded)),
      ...objections,
      ...[attentionForLive(version)].filter((text) => text !== undefined),
    ],
  }
}

/** Why the next `up` would refuse the history, beyond what is wrong with a single migration. */
function refusalOf(files: Migration[], { applied }: RecordedMigrations): string[] {
  const names = applied.map(({ name, record }) => ({ name, sha256: record?.sha256 }))
  try {
    findPending(files, names)
    return []
  } catch (error) {
    return [messageOf(error)]
  }
}

type Judged = { compared: MigrationStatus[]; files: Migration[]; objects: SchemaObject[] }

/** The class of each pending file, on the schema that it finds, and why it would be refused. */
function judgePending({ compared, files, objects }: Judged) {
  using scratch = scratchDatabaseOf(objects)
  const objections: string[] = []
  let judging = true
  const migrations = compared.map((one): MigrationStatus => {
    const file = files.find(({ name }) => name === one.name)
    if (!judging || one.state !== "pending" || file === undefined) return one
    const judged = judgeFile(scratch, file)
    if (objects.some(({ type }) => type === "table")) objections.push(...judged.objections)
    // What comes after a file that only the rows can judge is not known.
    judging = judged.applies
    return { ...one, class: judged.classification.class }
  })
  return { migrations, objections }
}
