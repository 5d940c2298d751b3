import { Cron } from "croner"

import { liveDeployment } from "../deployments/deployment.store.ts"
import type { EventLog } from "../log/event-log.ts"
import type { Plane } from "../plane/plane.ts"
import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { State } from "../state/state.ts"
import { listWorkers, requireWorker } from "../workers/worker.store.ts"
import { checkCronGrammar } from "./cron-grammar.ts"
import { listSchedules } from "./schedule.store.ts"

export type Crons = ReturnType<typeof createCrons>

/** Cloudflare's crons: five fields in UTC, Sunday is 1. */
export function createCron(pattern: string, onFire?: () => Promise<void>): Cron {
  const options = {
    mode: "5-part",
    alternativeWeekdays: true,
    // Cloudflare has `5/15`.
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

  /** @throws ApiError when the Worker has no deployment */
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

  /** Must be called after every commit that changes schedules or Workers. */
  function refresh() {
    const wanted = new Map<string, { name: string; cron: string }>(
      listWorkers(state).flatMap(({ id, name }) =>
        listSchedules(state, id).map(({ cron }) => [`${name} ${cron}`, { name, cron }]),
      ),
    )
    for (const [key, job] of jobs) {
      if (wanted.has(key)) continue
      job.stop()
      jobs.delete(key)
    }
    for (const [key, { name, cron }] of wanted) {
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
