import { messageOf } from "../../failure.ts"
import type { Log } from "../protocol/log.ts"
import { type Deployment, describeDeployment, withTraffic } from "./deployments.ts"
import type { SchemaCheck } from "./schema-check.ts"

type Checked = { check: SchemaCheck; versionId: string; log: Log }

/** @throws before anything moves: a version on trial would fail at what a health check does not ask */
export async function refuseMisfit({ check, versionId, log }: Checked): Promise<void> {
  const fit = await check(versionId)
  if (fit.fits === true) return
  if (fit.fits === false) {
    throw new Error(
      `version ${versionId} was not released, because it does not fit the schema: ${fit.reason}. Nothing was changed.`,
    )
  }
  log.info(`version ${versionId} does not say what it uses of the schema: its trial decides`)
}

export async function misfitOfPrevious({
  check,
  versionId,
  log,
}: Checked): Promise<string | undefined> {
  const fit = await check(versionId)
  if (fit.fits !== false) return undefined
  log.warn(
    `version ${versionId} has traffic, and does not fit the schema: ${fit.reason}. If this release fails, that version gets no traffic back.`,
  )
  return fit.reason
}

/** What somebody else deployed, and whether it can work: a rollback in the dashboard asks no schema. */
export async function describeDrift(live: Deployment, check: SchemaCheck): Promise<string> {
  const fits = withTraffic(live.split).map(async ({ versionId }) => {
    try {
      const fit = await check(versionId)
      if (fit.fits === true) return ""
      return fit.fits === false
        ? ` Version ${versionId} does not fit the schema: ${fit.reason}.`
        : ` Version ${versionId} does not say what it uses of the schema, so whether it fits is unknown.`
    } catch (error) {
      return ` Whether version ${versionId} fits the schema is not known: ${messageOf(error)}.`
    }
  })
  const sentences = await Promise.all(fits)
  return `a deployment that no release of this stack recorded serves: ${describeDeployment(live)}.${sentences.join("")}`
}
