import { countRows, type Database } from "@accounts-stack/d1-migrations/d1"
import { quoteName, tablesOf } from "@accounts-stack/d1-migrations/schema"
import * as z from "zod"

import { counted } from "../../../base/counted.ts"
import { Failure, isFailure, messageOf } from "../../../base/failure.ts"
import { parseJson } from "../../../deploy/api.ts"
import type { Deployment } from "../../../deploy/release/deployments.ts"
import { nextCommand, type StackPlace } from "../../local-options.ts"
import { paintFor } from "../../output.ts"
import { isAlive, machineName } from "../../process/is-alive.ts"
import type { StackLock } from "../../stack/hold.ts"
import type { Dump } from "../backup/dump.ts"
import {
  releaseCompatible,
  newPlan,
  type Plan,
  planIn,
  type Source,
  deploymentsOf,
  deployMaintenanceWorker,
  restoreTraffic,
  type Site,
  pauseTraffic,
  type Waiting,
} from "./maintenance-worker.ts"
import { findProblems, importFile, restoreBookmark } from "./time-travel.ts"

/** The known effect of a restore on the rows of one table. */
type TableLoss = {
  table: string
  now: number
  /** Rows after the restore. */
  after?: number | undefined
  /** Rows created since the restore point, if only their time of creation is known. */
  since?: number | undefined
}

/** The known facts of the restore point. */
type RestorePoint = {
  bookmark?: string
  /** Milliseconds. */
  time?: number | undefined
  /** Rows by table. */
  rows?: Map<string, number>
}

const Counts = z.record(z.string(), z.number())
const Count = z.object({ rows: z.number() })

/** Returns the losses by table. D1 cannot count rows at a bookmark, so only some moments have counts. */
export async function findLosses(database: Database, moment: RestorePoint): Promise<TableLoss[]> {
  const { applied } = await database.recorded()
  const migration = applied.find(({ record }) => record?.bookmark === moment.bookmark)
  const rowsBefore = Counts.safeParse(parseJson(migration?.record?.rows_before ?? "")).data ?? {}
  const applies =
    migration?.appliedAt === undefined ? undefined : Date.parse(`${migration.appliedAt}Z`)
  const time = moment.time ?? applies
  const timed = time === undefined ? new Set<string>() : await tablesWithTime(database)
  const losses: TableLoss[] = []
  for (const [table, now] of await countRows(database, await database.allObjects())) {
    const after = moment.rows === undefined ? rowsBefore[table] : (moment.rows.get(table) ?? 0)
    const canCountSince = after === undefined && time !== undefined && timed.has(table)
    const since = canCountSince ? await rowsSince(database, { table, time }) : undefined
    losses.push({ table, now, after, since })
  }
  const missing = [...(moment.rows ?? [])].filter(
    ([name]) => !name.startsWith("sqlite_") && !losses.some(({ table }) => table === name),
  )
  return [...losses, ...missing.map(([table, after]) => ({ table, now: 0, after }))]
}

async function tablesWithTime(database: Database): Promise<Set<string>> {
  const timed = tablesOf(await database.objects()).filter(({ columns }) =>
    columns.some(({ name, type }) => name === "created_at" && type === "INTEGER"),
  )
  return new Set(timed.map(({ name }) => name))
}

async function rowsSince(
  database: Database,
  { table, time }: { table: string; time: number },
): Promise<number> {
  // This service stores `created_at` in milliseconds.
  const [row] = await database.ask(
    `SELECT count(*) AS "rows" FROM ${quoteName(table)} WHERE created_at > ${time}`,
  )
  return Count.parse(row).rows
}

/** Returns one line for each table that has rows now or after the restore. */
function describeLosses(losses: TableLoss[]): string {
  const tableLosses = losses.filter(({ now, after }) => now > 0 || (after ?? 0) > 0)
  if (tableLosses.length === 0) return "  every table is empty"
  const width = Math.max(...tableLosses.map(({ table }) => table.length))
  return tableLosses
    .map(
      (loss) =>
        `  ${loss.table.padEnd(width)}  ${counted(loss.now, "row")} now, ${describeThen(loss)}`,
    )
    .join("\n")
}

function describeThen({ now, after, since }: TableLoss): string {
  if (after !== undefined) return `${after} then${after < now ? ` (${now - after} fewer)` : ""}`
  if (since !== undefined) return `${since} of them made since; changes and deletions are not known`
  return "then is not known"
}

export type Target =
  | { source: Extract<Source, { kind: "bookmark" }>; time?: number | undefined }
  | {
      source: Extract<Source, { kind: "file" }>
      file: string
      dump: Dump
      time?: number | undefined
    }

type Restored = {
  stack: string
  source: Source
  losses: TableLoss[]
  /** Bookmark of the moment before the restore, for undoing it. */
  undo: string
  /** The live version after the restore. */
  versionId: string
}

type Options = Waiting & {
  /** The lock of the stack, so that no run deploys at the same time. */
  hold: StackLock
  /** Continues a restore that another machine began. */
  takeOver: boolean
  /** Receives the losses as text. @throws to stop the restore */
  confirm: (losses: string) => Promise<void>
}

/**
 * Stops the traffic, shows what would be lost, restores the database, and releases a version that fits
 * the schema. The maintenance version stores the plan, so that another run can continue after a kill.
 */
export async function restore(site: Site, target: Target, options: Options): Promise<Restored> {
  const { say, confirm, hold } = options
  const live = await expectLive(site)
  const plannedRestore = await planIn(site, live)
  if (plannedRestore !== undefined) expectMine(plannedRestore, options)
  if (plannedRestore?.undo !== undefined) expectSame(plannedRestore.source, target.source)
  const before = plannedRestore?.before ?? live.split
  const { source } = target

  const stopped = plannedRestore ? live : await stop(site, { source, before, live }, options)
  const losses = await findLosses(site.database, momentOf(target))
  if (plannedRestore?.undo !== undefined) {
    say(`continuing what an interrupted run began; before it was bookmark ${plannedRestore.undo}`)
  }
  const begin = async () => {
    await confirm(describeLosses(losses))
    const undo = plannedRestore?.undo ?? (await site.database.bookmark())
    hold.expect()
    const plan = { ...newPlan(site.databaseId, { source, before }), undo }
    await deployMaintenanceWorker(site, plan, stopped)
    hold.expect()
    return plan
  }
  // An earlier restore may be half done: then the traffic stays paused.
  const plan =
    plannedRestore?.undo === undefined ? await orGiveBack(site, before, begin) : await begin()
  const { undo } = plan

  say(`restoring; before it is bookmark ${undo}`)
  await orGoBack(site, plan, options, () => bringBack(site, target, options))
  const problems = await findProblems(site, momentOf(target).rows)
  if (problems.length > 0) throw incomplete(problems, site)
  hold.expect()
  const versionId = await releaseCompatible(site, options)
  return { stack: site.stack, source, losses, undo, versionId }
}

/** Undoes an interrupted restore, and returns the id of the version that gets the traffic. */
export async function undoRestore(site: Site, options: Omit<Options, "confirm">): Promise<string> {
  const live = await expectLive(site)
  const plan = await planIn(site, live)
  if (plan === undefined) {
    throw new Failure(
      "COMMAND_FAILED",
      `No restore of ${site.stack} is under way: nothing to undo.`,
    )
  }
  expectMine(plan, options)
  options.hold.expect()
  if (plan.undo !== undefined) await restoreBookmark(site, plan.undo, options)
  return await releaseCompatible(site, options)
}

type Stop = { source: Source; before: Plan["before"]; live: Deployment }

async function stop(site: Site, { source, before, live }: Stop, options: Options) {
  options.say("stopping the traffic: every request is answered 503 from now on")
  return await pauseTraffic(
    site,
    { plan: newPlan(site.databaseId, { source, before }), live },
    options,
  )
}

async function expectLive(site: Site): Promise<Deployment> {
  const live = await deploymentsOf(site).live()
  if (live !== undefined) return live
  throw new Failure("COMMAND_FAILED", `${site.worker} has never been deployed: nothing serves.`)
}

/** Allows one run at a time. Only a process on this machine can be checked; others need `takeOver`. */
function expectMine({ holder, at }: Plan, { takeOver }: Pick<Options, "takeOver">): void {
  const { user, host, pid } = holder
  const who = `process ${pid} of ${user} on ${host}, since ${at}`
  const here = host === machineName()
  if (here && pid !== process.pid && isAlive(pid)) {
    throw new Failure("LOCKED", `A restore is running: ${who}. Wait for it.`)
  }
  if (here || takeOver) return
  throw new Failure(
    "LOCKED",
    `A restore was begun elsewhere: ${who}. If it no longer runs, add --take-over.`,
  )
}

function expectSame(startedSource: Source, requestedSource: Source): void {
  if (describeSource(startedSource) === describeSource(requestedSource)) return
  throw new Failure(
    "COMMAND_FAILED",
    `A restore to ${describeSource(startedSource)} was interrupted. Give the same again to continue it, or --undo.`,
  )
}

function describeSource(source: Source): string {
  return source.kind === "bookmark"
    ? `bookmark ${source.bookmark}`
    : `the file ${source.name} (MD5 ${source.md5})`
}

function momentOf(target: Target): RestorePoint {
  if (!("dump" in target)) return { bookmark: target.source.bookmark, time: target.time }
  return { rows: new Map(target.dump.tables.map(({ name, count }) => [name, count])) }
}

async function bringBack(site: Site, target: Target, options: Options): Promise<void> {
  if ("dump" in target) await importFile(site, target)
  else await restoreBookmark(site, target.source.bookmark, options)
}

/** Runs a step before anything is restored. If it fails, the previous split gets the traffic back. */
async function orGiveBack<Result>(
  site: Site,
  before: Plan["before"],
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    const live = await deploymentsOf(site).live()
    // A deployment that another client made stays live.
    const isOwnPlan = live !== undefined && (await planIn(site, live)) !== undefined
    if (isOwnPlan) await restoreTraffic(site, { before, live })
    throw error
  }
}

async function orGoBack(
  site: Site,
  { undo, source }: { undo: string; source: Source },
  options: Options,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act()
  } catch (error) {
    // The lost restore may still be running, and must not finish after a second restore.
    const isUnknown = isFailure(error, "API_FAILED") && error.facts.lost
    if (source.kind === "bookmark" && isUnknown) throw error
    const back = await restoreBookmark(site, undo, options)
      .then(() => releaseCompatible(site, options))
      .then(
        (versionId) => `The database is as it was, and version ${versionId} serves again.`,
        (second: unknown) =>
          `It could not be undone (${messageOf(second)}): traffic stays stopped. Run this again, or with --undo.`,
      )
    const message = `The database was not restored: ${messageOf(error)}. ${back}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}

function incomplete(problems: string[], { stack }: Site): Failure {
  const message = `The database of ${stack} was restored, but:\n  ${problems.join("\n  ")}\nTraffic stays stopped. Run this again, or with --undo to go back to before it.`
  return new Failure("COMMAND_FAILED", message)
}

/** Formats the result for the terminal. */
export function describeRestored({ source, undo, versionId }: Restored, place: StackPlace): string {
  const paint = paintFor(process.stdout)
  return [
    `${paint.green("✓")} The database of ${place.stack} is at ${describeSource(source)}.`,
    `  version ${versionId} serves`,
    `  what was there before: ${nextCommand("database restore", place, `--to ${undo}`)}`,
  ].join("\n")
}
