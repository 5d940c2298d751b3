import { Cron } from "croner"
import * as z from "zod"

import type { EventLog } from "../log/event-log.ts"
import type { Plane } from "../plane/plane.ts"
import type { State } from "../state/state.ts"
import { ApiError, UnknownInputError, code } from "./envelope.ts"
import { liveDeployment } from "./version.ts"
import { listWorkers, requireWorker } from "./worker.ts"

export type Crons = ReturnType<typeof createCrons>

/** Creates a job for one of Cloudflare's crons, which have five fields in UTC, with 1 for Sunday. */
export function createCron(pattern: string, onFire?: () => Promise<void>): Cron {
  const options = {
    mode: "5-part",
    alternativeWeekdays: true,
    // Cloudflare allows `5/15`.
    sloppyRanges: true,
    timezone: "UTC",
    unref: true,
    paused: onFire === undefined,
  } as const
  return onFire === undefined ? new Cron(pattern, options) : new Cron(pattern, options, onFire)
}

/** @throws ApiError 10066 */
export function checkCron(pattern: string) {
  checkCronGrammar(pattern)
  try {
    createCron(pattern).stop()
  } catch {
    throw new ApiError(400, code.badCron, `Invalid cron expression: ${pattern}`)
  }
}

export function createCrons(options: { state: State; plane: Plane; log: EventLog }) {
  const { state, plane, log } = options
  const jobs = new Map<string, Cron>()

  /** Runs a cron on the version with the most traffic. @throws ApiError if the Worker has no deployment */
  async function fire(script: string, cron: string): Promise<{ outcome: string }> {
    const worker = requireWorker(state, script)
    const versions = liveDeployment(state, worker.id)?.versions ?? []
    const most = versions.toSorted((a, b) => b.percentage - a.percentage)[0]
    if (most === undefined) {
      throw new ApiError(400, code.noVersions, `Worker ${script} has no deployment`)
    }
    const { outcome } = await plane.fireCron(most.version_id, cron, new Date())
    log.record({ event: "cron", script, cron, outcome })
    return { outcome }
  }

  async function tick(script: string, cron: string) {
    try {
      await fire(script, cron)
    } catch (error) {
      log.record({ event: "problem", message: `Cron ${cron} of ${script}: ${String(error)}` })
    }
  }

  /** Starts and stops jobs to match the state. Call it after every commit that changes schedules or Workers. */
  function refresh() {
    const cronsByKey = new Map<string, { name: string; cron: string }>(
      listWorkers(state).flatMap(({ id, name }) =>
        listSchedules(state, id).map(({ cron }) => [`${name} ${cron}`, { name, cron }]),
      ),
    )
    for (const [key, job] of jobs) {
      if (cronsByKey.has(key)) continue
      job.stop()
      jobs.delete(key)
    }
    for (const [key, { name, cron }] of cronsByKey) {
      if (!jobs.has(key)) {
        jobs.set(
          key,
          createCron(cron, () => tick(name, cron)),
        )
      }
    }
  }

  return {
    refresh,
    fire,
    stop() {
      for (const job of jobs.values()) job.stop()
      jobs.clear()
    },
  }
}

/**
 * Rejects crons that croner accepts but Cloudflare's parser (github.com/cloudflare/saffron) does not: `@daily`, `?`,
 * surrounding blanks, and weekdays other than 1 (Sunday) to 7.
 * @throws ApiError 10066
 */
function checkCronGrammar(pattern: string) {
  const fields = pattern.split(/\s+/)
  const weekday = fields[4] ?? ""
  const days = weekday.split(",").flatMap((part) => part.split(/[/#]/)[0]?.match(/\d+/g) ?? [])
  const isValid =
    fields.length === 5 &&
    fields.every((field) => /^[0-9A-Z*,/#-]+$/i.test(field)) &&
    days.every((day) => Number(day) >= 1 && Number(day) <= 7)
  if (!isValid) throw new ApiError(400, code.badCron, `Invalid cron expression: ${pattern}`)
  if (!/L-/i.test(fields[2] ?? "")) return
  const message = `${pattern}: the local Cloudflare runs no days that are counted from the month's end`
  throw new UnknownInputError(400, code.badCron, message)
}

const Schedule = z.object({
  worker_id: z.string(),
  cron: z.string(),
  created_on: z.string(),
  modified_on: z.string(),
})
export type Schedule = z.infer<typeof Schedule>

export function listSchedules(state: State, workerId: string): Schedule[] {
  return state.list(Schedule, "SELECT * FROM schedule WHERE worker_id = ? ORDER BY cron", workerId)
}

/** Counts the schedules of all other Workers of the account. */
export function countSchedules(state: State, except: string): number {
  const row = state.get("SELECT count(*) AS count FROM schedule WHERE worker_id <> ?", except)
  return Number(row?.["count"])
}

/** Replaces the whole set: schedules not in `crons` are removed. */
export function replaceSchedules(state: State, workerId: string, crons: string[]) {
  const now = new Date().toISOString()
  state.run(
    "DELETE FROM schedule WHERE worker_id = ? AND cron NOT IN (SELECT value FROM json_each(?))",
    workerId,
    JSON.stringify(crons),
  )
  for (const cron of crons) {
    const row = { worker_id: workerId, cron, created_on: now, modified_on: now }
    state.insert("schedule", row, "ON CONFLICT (worker_id, cron) DO NOTHING")
  }
}
