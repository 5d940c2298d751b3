import { judgeOn } from "@accounts/d1-migrations"
import {
  attentionFor,
  compareMigrations,
  type MigrationStatus,
  type RecordedMigrations,
} from "@accounts/d1-migrations/d1"
import { findPending, type Migration, type Names } from "@accounts/d1-migrations/files"
import type { SchemaObject } from "@accounts/d1-migrations/schema"

import { messageOf } from "../../../base/failure.ts"
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
    database.recorded(),
    database.objects(),
    askLiveVersion(address),
  ])
  const compared = compareMigrations(files, recorded)
  const { migrations, objections } = judgePending({
    compared,
    files,
    objects,
    names: database.names,
  })
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

type Judged = {
  compared: MigrationStatus[]
  files: Migration[]
  objects: SchemaObject[]
  names: Names
}

/** The class of each pending file, on the schema that it finds, and why it would be refused. */
function judgePending({ compared, files, objects, names }: Judged) {
  const states = new Map(compared.map(({ name, state }) => [name, state]))
  const pending = files.filter(({ name }) => states.get(name) === "pending")
  const judged = judgeOn({ objects, pending, applied: [], names })
  return {
    migrations: compared.map((one): MigrationStatus => {
      const found = judged.find(({ file }) => file.name === one.name)
      return found === undefined ? one : { ...one, class: found.classification.class }
    }),
    objections: objects.some(({ type }) => type === "table")
      ? judged.flatMap((one) => one.objections)
      : [],
  }
}
