import { describeMisfit, misfitsOf, tablesOf } from "@accounts-stack/d1-migrations/schema"

import { openDatabase } from "../../environment/own-names.ts"
import type { WorkerPlace } from "../api.ts"
import { unlessGone } from "../gone.ts"
import { databaseIdOf } from "../version/binding.ts"
import { readSchemaUse } from "../version/schema-use.ts"
import { type FoundVersion, openUploads } from "../version/uploads.ts"

/** Whether a version fits the schema of its database. */
type SchemaFit = { fits: true } | { fits: false | "unknown"; reason: string }

export type SchemaCheck = (versionId: string) => Promise<SchemaFit>

/** Asks Cloudflare alone, so it can tell before anything moves, and of versions of others, too. */
export function openSchemaCheck(worker: WorkerPlace): SchemaCheck {
  const { api, accountId } = worker
  const uploads = openUploads(worker)
  const read = async (databaseId: string) => {
    const database = openDatabase({ api, accountId, databaseId })
    const moment = await unlessGone(database.moment())
    if (moment === undefined) return undefined
    const { applied, objects } = moment
    return { applied: applied.map(({ name }) => name), tables: tablesOf(objects) }
  }
  const schemas = new Map<string, ReturnType<typeof read>>()

  return async (versionId) => {
    const found = await uploads.find(versionId)
    if (found === undefined) return { fits: "unknown", reason: "Cloudflare does not show it" }
    const databaseId = databaseIn(found)
    if (databaseId === undefined) return { fits: true }
    const use = readSchemaUse(found)
    if (use === undefined) {
      return { fits: "unknown", reason: "it does not say what it uses" }
    }
    const schema = schemas.get(databaseId) ?? read(databaseId)
    schemas.set(databaseId, schema)
    const known = await schema
    if (known === undefined) return { fits: false, reason: `its database ${databaseId} is gone` }
    const { applied, tables } = known
    const standing = applied.at(-1) ?? "no migration"
    if (!applied.includes(use.head)) {
      const reason = `it was built for ${use.head}, and its database stands at ${standing}: apply the migrations first`
      return { fits: false, reason }
    }
    const misfits = misfitsOf(use.tables, tables)
    const gone = misfits.filter(({ kind }) => kind !== "required").map(describeMisfit)
    const unknown = misfits.filter(({ kind }) => kind === "required").map(describeMisfit)
    if (misfits.length === 0) return { fits: true }
    const what = [
      ...(gone.length > 0 ? [`it uses ${gone.join(", ")}, which the schema has not`] : []),
      ...(unknown.length > 0 ? [`it does not know ${unknown.join(", ")}`] : []),
    ].join(", and ")
    const next =
      use.head === standing && unknown.length === 0
        ? "Write the migration for it (npm run migration -- --name NAME)"
        : "Release a newer version, or put back by a new migration what it needs"
    const reason = `${what}: it was built for ${use.head}, and the database stands at ${standing}. ${next}`
    return { fits: false, reason }
  }
}

/** A version of this project has one database. */
function databaseIn({ bindings }: FoundVersion): string | undefined {
  const binding = bindings.find(({ type }) => type === "d1")
  return binding && databaseIdOf(binding)
}
