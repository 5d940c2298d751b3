import { Hono } from "hono"
import * as z from "zod"

import { AssetsInput, resolveAssets, viewRules } from "../assets/version-assets.ts"
import type { Control } from "../control.ts"
import { deploy } from "../deployments/deploy.ts"
import {
  ApiError,
  body,
  noQuery,
  paginate,
  query,
  shortPaging,
  success,
} from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { account } from "../seed.ts"
import { Bindings, resolveBindings, withDatabaseId } from "./binding.ts"
import { ClassMigrations } from "./class-migrations.ts"
import { copyOfVersion, runtimeOf } from "./script.ts"
import { Annotations, storeVersion } from "./upload.ts"
import type { Version } from "./version.store.ts"
import { RuntimeSettings, latestVersion, listVersions, requireVersion } from "./version.store.ts"
import { withWorkerLock } from "./worker-lock.ts"
import type { Worker } from "./worker.store.ts"
import { requireWorker } from "./worker.store.ts"

const Creation = z.strictObject({
  main_module: z.string().default(""),
  modules: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        content_type: z.string(),
        content_base64: z.base64(),
      }),
    )
    .default([]),
  bindings: Bindings.default([]),
  assets: AssetsInput.optional(),
  compatibility_date: z.iso.date().optional(),
  compatibility_flags: z.array(z.string()).default([]),
  annotations: Annotations.default({}),
  migrations: ClassMigrations,
  usage_model: z.literal("standard").optional(),
  ...RuntimeSettings.shape,
})
/** A JSON merge patch of the newest version: `null` removes a binding. */
const Patch = z.strictObject({
  env: z.record(z.string(), z.looseObject({ type: z.string() }).nullable()),
  annotations: Annotations.default({}),
})
const CreationQuery = z.strictObject({ deploy: z.stringbool().default(false) })
const One = z.strictObject({ include: z.literal("modules").optional() })
const List = z.strictObject(shortPaging)

/** `accounts/{account}/workers/workers/{worker}/versions`. Repeats: every upload creates a version. */
export function versions(control: Control) {
  const { state, blobs } = control
  const app = new Hono()

  app.get("/:worker/versions", (c) => {
    const worker = requireWorker(state, c.req.param("worker"))
    const { result, result_info, total_pages } = paginate(
      listVersions(state, worker.id),
      query(c, List),
    )
    return c.json(
      success(
        result.map((version) => view(worker, version)),
        { result_info: { ...result_info, total_pages } },
      ),
    )
  })

  app.post("/:worker/versions", async (c) => {
    const options = query(c, CreationQuery)
    const sent = await body(c, Creation)
    const result = await withWorkerLock(control, c.req.param("worker"), async (worker) => {
      const version = await storeVersion(control, worker, {
        source: "api",
        mainModule: sent.main_module,
        modules: sent.modules.map(({ name, content_type, content_base64 }) => ({
          name,
          contentType: content_type,
          content: Buffer.from(content_base64, "base64"),
        })),
        compatibilityDate: sent.compatibility_date,
        compatibilityFlags: sent.compatibility_flags,
        bindings: resolveBindings(state, worker, sent.bindings),
        assets: await resolveAssets(control, worker, { sent: sent.assets, kept: undefined }),
        annotations: { "workers/triggered_by": "create_version_api", ...sent.annotations },
        runtime: runtimeOf(sent),
      })
      if (options.deploy) {
        const all = [{ version_id: version.id, percentage: 100 }]
        await deploy(control, worker, { versions: all, source: "api", annotations: {} })
      }
      return withModules(worker, version)
    })
    return c.json(success(result))
  })

  app.patch("/:worker/versions/latest", async (c) => {
    query(c, noQuery)
    const { env, annotations } = await body(c, Patch)
    const result = await withWorkerLock(control, c.req.param("worker"), async (worker) => {
      const latest = latestVersion(state, worker.id)
      if (latest === undefined) {
        throw new ApiError(404, code.noVersions, `Worker ${worker.name} has no version`)
      }
      const sent = Object.entries(env).flatMap(([name, binding]) =>
        binding === null ? [] : [{ ...binding, name }],
      )
      const bindings = [
        ...latest.bindings.filter(({ name }) => !(name in env)),
        ...resolveBindings(state, worker, sent),
      ]
      const upload = await copyOfVersion(control, latest, bindings)
      const version = await storeVersion(control, worker, {
        ...upload,
        annotations: { ...upload.annotations, ...annotations },
      })
      return view(worker, version)
    })
    return c.json(success(result))
  })

  app.get("/:worker/versions/:version", async (c) => {
    const { include } = query(c, One)
    const worker = requireWorker(state, c.req.param("worker"))
    const version = requireVersion(state, worker, c.req.param("version"))
    return c.json(
      success(include === undefined ? view(worker, version) : await withModules(worker, version)),
    )
  })

  app.delete("/:worker/versions/:version", (c) => {
    query(c, noQuery)
    const worker = requireWorker(state, c.req.param("worker"))
    requireVersion(state, worker, c.req.param("version"))
    const message = "Versions stay until their Worker is deleted"
    throw new ApiError(405, code.badRequest, message)
  })

  async function withModules(worker: Worker, version: Version) {
    const modules = await Promise.all(
      version.modules.map(async ({ name, content_type, sha256 }) => ({
        name,
        content_type,
        content_base64: Buffer.from(await blobs.get(sha256)).toString("base64"),
      })),
    )
    return { ...view(worker, version), modules }
  }

  return app
}

function view(worker: Worker, version: Version) {
  const host = `${worker.name}.${account.workersDevelopmentSubdomain}.workers.dev`
  return {
    id: version.id,
    number: version.number,
    created_on: version.created_on,
    source: version.source,
    author_id: account.id,
    author_email: "local@accounts.test",
    main_module: version.main_module,
    bindings: version.bindings.map(withDatabaseId).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...(version.assets !== null && { assets: { config: viewRules(version.assets.rules) } }),
    ...(version.compatibility_date !== "" && { compatibility_date: version.compatibility_date }),
    compatibility_flags: version.compatibility_flags,
    annotations: version.annotations,
    usage_model: "standard",
    ...version.runtime,
    startup_time_ms: version.startup_time_ms,
    urls: worker.settings.subdomain.previews_enabled
      ? [`https://${version.id.slice(0, 8)}-${host}`]
      : [],
  }
}
