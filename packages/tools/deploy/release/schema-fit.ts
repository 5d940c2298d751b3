import { describeMisfit, misfitsOf, tablesOf } from "@accounts-stack/d1-migrations/schema"
import type { Log } from "@accounts-stack/pulumi-host/log"

import { messageOf } from "../../base/failure.ts"
import { openDatabase } from "../../environment/own-names.ts"
import { type WorkerPlace, undefinedIfNotFound } from "../api.ts"
import { databaseIdOf } from "../version/inputs.ts"
import { readSchemaUse } from "../version/schema-use.ts"
import { type FoundVersion, openUploads } from "../version/uploads.ts"
import {
  type Deployment,
  type Split,
  describeDeployment,
  describeMove,
  withTraffic,
} from "./deployments.ts"

/** Whether a version fits the schema of its database. */
type SchemaFit = { fits: true } | { fits: false | "unknown"; reason: string }

export type SchemaCheck = (versionId: string) => Promise<SchemaFit>

/** Reads only from Cloudflare, so that it works before anything changes, and for versions of other clients. */
export function openSchemaCheck(worker: WorkerPlace): SchemaCheck {
  const { api, accountId } = worker
  const uploads = openUploads(worker)
  const read = async (databaseId: string) => {
    const database = openDatabase({ api, accountId, databaseId })
    const moment = await undefinedIfNotFound(database.moment())
    if (moment === undefined) return undefined
    const { applied, objects } = moment
    return { applied: applied.map(({ name }) => name), tables: tablesOf(objects) }
  }
  const schemas = new Map<string, ReturnType<typeof read>>()

  return async (versionId) => {
    const upload = await uploads.find(versionId)
    if (upload === undefined) return { fits: "unknown", reason: "Cloudflare does not show it" }
    const databaseId = databaseIn(upload)
    if (databaseId === undefined) return { fits: true }
    const use = readSchemaUse(upload)
    if (use === undefined) {
      return { fits: "unknown", reason: "it does not say what it uses" }
    }
    const schema = schemas.get(databaseId) ?? read(databaseId)
    schemas.set(databaseId, schema)
    const databaseSchema = await schema
    if (databaseSchema === undefined) {
      return { fits: false, reason: `its database ${databaseId} is gone` }
    }
    const { applied, tables } = databaseSchema
    const standing = applied.at(-1) ?? "no migration"
    if (!applied.includes(use.head)) {
      const reason = `it was built for ${use.head}, and its database stands at ${standing}: apply the migrations first`
      return { fits: false, reason }
    }
    const misfits = misfitsOf(use.tables, tables)
    const missingNames = misfits.filter(({ kind }) => kind !== "required").map(describeMisfit)
    const unknown = misfits.filter(({ kind }) => kind === "required").map(describeMisfit)
    if (misfits.length === 0) return { fits: true }
    const misfitTexts = [
      ...(missingNames.length > 0
        ? [`it uses ${missingNames.join(", ")}, which the schema has not`]
        : []),
      ...(unknown.length > 0 ? [`it does not know ${unknown.join(", ")}`] : []),
    ].join(", and ")
    const next =
      use.head === standing && unknown.length === 0
        ? "Write the migration for it (npm run migration -- --name NAME)"
        : "Release a newer version, or put back by a new migration what it needs"
    const reason = `${misfitTexts}: it was built for ${use.head}, and the database stands at ${standing}. ${next}`
    return { fits: false, reason }
  }
}

/** Returns the id of a version's only database. */
function databaseIn({ bindings }: FoundVersion): string | undefined {
  const binding = bindings.find(({ type }) => type === "d1")
  return binding && databaseIdOf(binding)
}

type Checked = { check: SchemaCheck; versionId: string; log: Log }

/** @throws Error before anything changes: a version that does not fit would fail beyond its health check */
export async function refuseMisfit({ check, versionId, log }: Checked): Promise<void> {
  const fit = await check(versionId)
  if (fit.fits === true) return
  if (fit.fits === false) {
    throw new Error(
      `version ${versionId} was not released, because it does not fit the schema: ${fit.reason}. Nothing was changed.`,
    )
  }
  log.info(
    `whether version ${versionId} fits the schema is unknown (${fit.reason}): its trial decides`,
  )
}

/** Returns why a failed release cannot restore these versions; undefined if it can. */
export async function misfitOf({
  check,
  split,
  log,
}: Omit<Checked, "versionId"> & { split: Split }): Promise<string | undefined> {
  const fits = await Promise.all(split.map(({ versionId }) => check(versionId)))
  const misfits = fits.flatMap((fit, index) =>
    fit.fits === false
      ? [`version ${split[index]?.versionId} does not fit the schema: ${fit.reason}`]
      : [],
  )
  if (misfits.length === 0) return undefined
  const unfit = misfits.join(", and ")
  log.warn(`${unfit}. If this release fails, what serves now gets no traffic back.`)
  return unfit
}

/**
 * Describes a deployment that no release made, and whether its versions fit the schema, which a rollback in
 * the dashboard ignores.
 */
export async function describeDrift(live: Deployment, check: SchemaCheck): Promise<string> {
  const move = describeMove(live)
  if (move !== undefined) return `${move.done}: ${move.up}.`
  const sentences = withTraffic(live.split).map(async ({ versionId }) => {
    const fit = await check(versionId).catch((error: unknown): SchemaFit => {
      return { fits: "unknown", reason: messageOf(error) }
    })
    if (fit.fits === true) return ""
    return fit.fits === false
      ? ` Version ${versionId} does not fit the schema: ${fit.reason}.`
      : ` Whether version ${versionId} fits the schema is unknown: ${fit.reason}.`
  })
  const text = (await Promise.all(sentences)).join("")
  return `a deployment that no release of this stack recorded serves: ${describeDeployment(live)}.${text}`
}
