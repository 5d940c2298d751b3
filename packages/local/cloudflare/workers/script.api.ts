import { createHash } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { sourceOf } from "../deployments/deployment.api.ts"
import { visibleObservability } from "../deployments/trace-propagation.ts"
import { ApiError, noQuery, query, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { readMultipart } from "./multipart.ts"
import { putScript } from "./script.ts"
import { latestVersion, type Version } from "./version.store.ts"
import { checkName } from "./worker-limits.ts"
import { removeWorker } from "./worker.api.ts"
import { findWorker, listWorkers, requireWorker, type Worker } from "./worker.store.ts"

const UploadQuery = z.strictObject({
  excludeScript: z.stringbool().optional(),
  bindings_inherit: z.literal("strict").optional(),
})
const DeleteQuery = z.strictObject({ force: z.stringbool().optional() })
const ListQuery = z.strictObject({ tags: z.string().optional() })

/**
 * `accounts/{account}/workers/scripts`, by name. Repeats: put uploads and deploys a new version,
 * delete fails with 10007.
 */
export function scripts(control: Control) {
  const { state } = control
  const app = new Hono()

  app.get("/", (c) => {
    query(c, ListQuery)
    return c.json(
      success(
        listWorkers(state).map((worker) =>
          scriptView(control, worker, latestVersion(state, worker.id)),
        ),
      ),
    )
  })

  app.put("/:script", async (c) => {
    query(c, UploadQuery)
    const name = c.req.param("script")
    checkName(name)
    const source = sourceOf(c.req.header("user-agent"))
    const { worker, version } = await putScript(control, name, {
      ...(await readMultipart(c)),
      source,
    })
    return c.json(
      success({
        ...scriptView(control, worker, version),
        startup_time_ms: version.startup_time_ms,
        // wrangler reads the version's id from here, without hyphens.
        deployment_id: version.id.replaceAll("-", ""),
      }),
    )
  })

  app.delete("/:script", async (c) => {
    query(c, DeleteQuery)
    await removeWorker(control, c.req.param("script"))
    return c.json(success(null))
  })

  app.get("/:script/references", noQuery, (c) => {
    requireWorker(state, c.req.param("script"))
    return c.json(success({ services: { incoming: [], outgoing: [] } }))
  })

  return app
}

/** `accounts/{account}/workers/tails`: Workers that send traces to one; wrangler checks before a delete. */
export function tailProducers({ state }: Control) {
  const app = new Hono()

  app.get("/by-consumer/:script", noQuery, (c) => {
    const { name: consumer } = requireWorker(state, c.req.param("script"))
    const producers = listWorkers(state).filter(({ settings }) =>
      settings.tail_consumers.some(({ name, service }) => (name ?? service) === consumer),
    )
    return c.json(success(producers.map(({ name }) => ({ producer: { service: name } }))))
  })

  return app
}

/** `accounts/{account}/workers/services/{service}`: undocumented, but wrangler and the provider use it. */
export function services(control: Control) {
  const { state } = control
  const app = new Hono()

  app.get("/:service", noQuery, (c) => {
    const worker = findWorker(state, c.req.param("service"))
    if (worker === undefined) {
      throw new ApiError(404, code.noService, "workers.api.error.service_not_found")
    }
    return c.json(
      success({
        id: worker.name,
        created_on: worker.created_on,
        modified_on: worker.updated_on,
        default_environment: {
          environment: "production",
          created_on: worker.created_on,
          modified_on: worker.updated_on,
          script: scriptView(control, worker, latestVersion(state, worker.id)),
        },
      }),
    )
  })

  app.delete("/:service", async (c) => {
    query(c, DeleteQuery)
    await removeWorker(control, c.req.param("service"))
    return c.json(success(null))
  })

  return app
}

function scriptView(control: Control, worker: Worker, version: Version | undefined) {
  const { logpush, observability, tags, tail_consumers } = worker.settings
  return {
    id: worker.name,
    tag: worker.id,
    tags,
    created_on: worker.created_on,
    modified_on: version?.created_on ?? worker.updated_on,
    last_deployed_from: version?.source ?? "api",
    has_assets: false,
    has_modules: (version?.main_module ?? "") !== "",
    logpush,
    observability: visibleObservability(control, observability),
    tail_consumers,
    usage_model: "standard",
    ...(version !== undefined && {
      etag: etagOf(version),
      handlers: ["fetch"],
      ...(version.compatibility_date !== "" && { compatibility_date: version.compatibility_date }),
      compatibility_flags: version.compatibility_flags,
    }),
  }
}

/** Changes only when code changes. */
export function etagOf({ modules }: Version): string {
  return createHash("sha256").update(JSON.stringify(modules)).digest("hex")
}
