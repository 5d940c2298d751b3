import { Hono } from "hono"
import { streamSSE } from "hono/streaming"
import * as z from "zod"

import { Rule } from "../faults/rule.ts"
import { SettingsChange } from "../faults/settings.ts"
import { type EventLog, type LoggedEntry, logFilter, matches } from "../log/event-log.ts"
import type { Control } from "./control.ts"
import { listSchedules } from "./crons.ts"
import { listDatabases } from "./database.ts"
import { listDomains } from "./dns-record.ts"
import { ApiError, body, code, query, success } from "./envelope.ts"
import { findVersion, liveDeployment } from "./version.ts"
import { listWorkers } from "./worker.ts"

const CronRun = z.strictObject({ script: z.string(), cron: z.string() })

/** `/local`: routes that Cloudflare does not have, for status, log and faults, and to run a cron immediately. */
export function diagnosticsApi(control: Control, status: () => unknown) {
  const { log, crons } = control
  const app = new Hono()

  app.route("/", faultRoutes(control))

  app.get("/status", (c) => c.json(status()))

  app.post("/cron", async (c) => {
    const { script, cron } = await body(c, CronRun)
    return c.json(success(await crons.fire(script, cron)))
  })

  app.route("/", logRoutes(log))

  return app
}

const Rules = z
  .strictObject({ rules: z.array(Rule).max(200) })
  .superRefine(({ rules }, context) => {
    const names = rules.flatMap(({ name }) => name ?? [])
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice === undefined) return
    context.addIssue({
      code: "custom",
      path: ["rules"],
      message: `two rules are named ${twice}: names must be unique`,
    })
  })

/** `/local/faults` and `/local/settings`. */
function faultRoutes({ faults, settings, plane }: Pick<Control, "faults" | "settings" | "plane">) {
  const app = new Hono()

  app.get("/faults", (c) => c.json(success(faults.list())))

  app.put("/faults", async (c) => {
    faults.replace((await body(c, Rules)).rules)
    await plane.faultsChanged()
    return c.json(success(faults.list()))
  })

  app.post("/faults", async (c) => {
    const rule = await body(c, Rule)
    if (faults.list().some(({ name }) => name === rule.name)) {
      const message = `A rule named ${rule.name} already exists; remove it with DELETE /local/faults/${rule.name}`
      throw new ApiError(400, code.badRequest, message)
    }
    faults.add(rule)
    await plane.faultsChanged()
    return c.json(success(faults.list().at(-1)))
  })

  app.delete("/faults", async (c) => {
    faults.remove()
    await plane.faultsChanged()
    return c.json(success(null))
  })

  app.delete("/faults/:name", async (c) => {
    const name = c.req.param("name")
    if (!faults.remove(name)) {
      const names = faults.list().map((rule) => rule.name)
      const message = `No rule is named ${name}; the rules are: ${names.join(", ") || "none"}`
      throw new ApiError(404, code.noObject, message)
    }
    await plane.faultsChanged()
    return c.json(success(null))
  })

  app.get("/settings", (c) => c.json(success(settings.read())))

  app.put("/settings", async (c) => {
    settings.change(await body(c, SettingsChange))
    return c.json(success(settings.read()))
  })

  return app
}

const Count = z.coerce.number().int().min(0)
const Log = z.strictObject({ ...logFilter, limit: Count.max(10_000).default(100) })
const Events = z.strictObject({ ...logFilter, past: Count.max(10_000).default(0) })

/** `/local/log` returns past entries. `/local/events` streams new entries, after the last `past` entries. */
function logRoutes(log: EventLog) {
  const app = new Hono()

  app.get("/log", (c) => {
    const { limit, ...filter } = query(c, Log)
    return c.json({ entries: log.newest(filter, limit) })
  })

  app.get("/events", (c) => {
    const { past, ...filter } = query(c, Events)
    return streamSSE(c, async (stream) => {
      // Read and subscribe in one turn of the event loop, so that no entry is missed.
      const waiting: LoggedEntry[] = past === 0 ? [] : log.newest(filter, past)
      let wake = () => {}
      const unsubscribe = log.subscribe((entry) => {
        if (!matches(entry, filter)) return
        waiting.push(entry)
        wake()
      })
      stream.onAbort(() => {
        unsubscribe()
        wake()
      })
      while (!stream.aborted) {
        const entry = waiting.shift()
        if (entry !== undefined) {
          const { event, ...data } = entry
          await stream.writeSSE({ event, data: JSON.stringify(data) })
          continue
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    })
  })

  return app
}

/** Returns the body of `/local/status`, without the endpoint. */
export function describeStatus({ state, plane, live, log, faults, settings }: Control) {
  const domains = listDomains(state)
  return {
    databases: listDatabases(state).map(({ id, name }) => ({
      id,
      name,
      bytes: plane.databaseSize(id),
    })),
    workers: listWorkers(state).map(({ id, name }) => ({
      id,
      name,
      hostnames: domains
        .filter((domain) => domain.worker_id === id)
        .map(({ hostname }) => hostname),
      crons: listSchedules(state, id).map(({ cron }) => cron),
      versions: (liveDeployment(state, id)?.versions ?? []).map(({ version_id, percentage }) => ({
        id: version_id,
        number: findVersion(state, version_id)?.number ?? 0,
        percentage,
        running: plane.running(version_id),
      })),
    })),
    processes: plane.processes(),
    failed: live.failed(),
    counts: log.counts(),
    faults: faults.list(),
    settings: settings.read(),
  }
}
