import type { Log } from "@accounts-stack/pulumi-host/log"

import { messageOf } from "../../base/failure.ts"
import { type Deployment, describeDeployment, type Split, withTraffic } from "./deployments.ts"
import { describeMove } from "./own-moves.ts"
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
  log.info(
    `whether version ${versionId} fits the schema is unknown (${fit.reason}): its trial decides`,
  )
}

/** Why a failed release cannot give these versions their traffic back. */
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

/** What no release deployed, and whether it can work: a rollback in the dashboard asks no schema. */
export async function describeDrift(live: Deployment, check: SchemaCheck): Promise<string> {
  const own = describeMove(live)
  if (own !== undefined) return `${own.done}: ${own.up}.`
  const fits = withTraffic(live.split).map(async ({ versionId }) => {
    try {
      const fit = await check(versionId)
      if (fit.fits === true) return ""
      return fit.fits === false
        ? ` Version ${versionId} does not fit the schema: ${fit.reason}.`
        : ` Whether version ${versionId} fits the schema is unknown: ${fit.reason}.`
    } catch (error) {
      return ` Whether version ${versionId} fits the schema is unknown: ${messageOf(error)}.`
    }
  })
  const sentences = await Promise.all(fits)
  return `a deployment that no release of this stack recorded serves: ${describeDeployment(live)}.${sentences.join("")}`
}
