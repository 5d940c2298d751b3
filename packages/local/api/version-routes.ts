import { createHash } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import type { Binding } from "../plane/plane.ts"
import { account, workersDevHost } from "../state/seed.ts"
import { Bindings, resolveBindings, withBothDatabaseIds, withDatabaseId } from "./binding.ts"
import type { Control } from "./control.ts"
import { allTrafficTo, deploy } from "./deployment.ts"
import {
  ApiError,
  body,
  code,
  noQuery,
  pageOf,
  paginate,
  paging,
  parse,
  query,
  shortPaging,
  success,
} from "./envelope.ts"
import { Annotations, storeVersion } from "./upload.ts"
import {
  RuntimeSettings,
  type Version,
  latestVersion,
  listDeployableVersions,
  listVersions,
  modulesOf,
  noVersion,
  requireVersion,
} from "./version.ts"
import { type Worker, mergePatch, requireWorker, withWorkerLock } from "./worker.ts"

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
  compatibility_date: z.iso.date().optional(),
  compatibility_flags: z.array(z.string()).default([]),
  annotations: Annotations.default({}),
  usage_model: z.literal("standard").optional(),
  ...RuntimeSettings.shape,
})
/** A merge patch of the latest version. `env` has bindings by name; null deletes a binding. */
const VersionPatch = z.strictObject({
  env: z.record(z.string(), z.looseObject({ type: z.string() }).nullable()).default({}),
  annotations: z.json().optional(),
  compatibility_date: z.json().optional(),
  compatibility_flags: z.json().optional(),
  limits: z.json().optional(),
  placement: z.json().optional(),
})
const Patched = z.strictObject({
  annotations: Annotations.default({}),
  compatibility_date: z.iso.date().optional(),
  compatibility_flags: z.array(z.string()).default([]),
  ...RuntimeSettings.shape,
})
/** Assumed value, the same for every version: clients must not tell from it what created the version. */
const trigger = { "workers/triggered_by": "create_version_api" }
const CreationQuery = z.strictObject({ deploy: z.stringbool().default(false) })
const One = z.strictObject({ include: z.literal("modules").optional() })
const List = z.strictObject(shortPaging)

/** `accounts/{account}/workers/workers/{worker}/versions`. A repeated upload creates another version. */
export function versions(control: Control) {
  const { state, blobs, settings } = control
  const read = createVersionReader(control)
  const app = new Hono()

  app.get("/:worker/versions", (c) => {
    const worker = requireWorker(state, c.req.param("worker"))
    const newestFirst = listVersions(state, worker.id)
    const list = settings.read().doubts.oldestFirst ? newestFirst.toReversed() : newestFirst
    const views = list.map((version) => view(worker, version))
    return c.json(pageOf(views, query(c, List), { totalPages: true }))
  })

  app.post("/:worker/versions", async (c) => {
    const options = query(c, CreationQuery)
    const creation = await body(c, Creation)
    const result = await withWorkerLock(control, c.req.param("worker"), async (worker) => {
      const version = await storeVersion(control, worker, {
        source: "api",
        mainModule: creation.main_module,
        modules: creation.modules.map(({ name, content_type, content_base64 }) => ({
          name,
          contentType: content_type,
          content: Buffer.from(content_base64, "base64"),
        })),
        compatibilityDate: creation.compatibility_date,
        compatibilityFlags: creation.compatibility_flags,
        bindings: resolveBindings(state, worker, creation.bindings),
        annotations: { ...creation.annotations, ...trigger },
        runtime: runtimeOf(creation),
      })
      if (options.deploy) await deployAlone(worker, version)
      return withModules(worker, version)
    })
    return c.json(success(result))
  })

  app.patch("/:worker/versions/latest", async (c) => {
    const { deploy: deploys } = query(c, CreationQuery)
    const { env, ...patch } = await body(c, VersionPatch)
    const result = await withWorkerLock(control, c.req.param("worker"), async (worker) => {
      const latest = latestVersion(state, worker.id)
      if (latest === undefined) {
        throw new ApiError(404, code.noVersions, `Worker ${worker.name} has no version`)
      }
      const sentBindings = Object.entries(env).flatMap(([name, binding]) =>
        binding === null ? [] : [{ ...binding, name }],
      )
      const bindings = [
        ...latest.bindings.filter(({ name }) => !(name in env)),
        ...resolveBindings(state, worker, sentBindings),
      ]
      const patched = patchVersion(latest, patch)
      const version = await storeVersion(control, worker, {
        source: latest.source,
        mainModule: latest.main_module,
        modules: await modulesOf(latest, blobs),
        bindings,
        compatibilityDate: patched.compatibility_date,
        compatibilityFlags: patched.compatibility_flags,
        annotations: { ...patched.annotations, ...trigger },
        runtime: runtimeOf(patched),
      })
      if (deploys) await deployAlone(worker, version)
      return view(worker, version)
    })
    return c.json(success(result))
  })

  app.get("/:worker/versions/:version", async (c) => {
    const { include } = query(c, One)
    const worker = requireWorker(state, c.req.param("worker"))
    const version = read(worker, c.req.param("version"))
    return c.json(
      success(include === undefined ? view(worker, version) : await withModules(worker, version)),
    )
  })

  async function deployAlone(worker: Worker, version: Version) {
    await deploy(control, worker, {
      versions: allTrafficTo(version),
      source: "api",
      annotations: {},
    })
  }

  function view(worker: Worker, version: Version) {
    const { textsHidden } = settings.read().doubts
    return viewOf(worker, version, textsHidden)
  }

  async function withModules(worker: Worker, version: Version) {
    const modules = (await modulesOf(version, blobs)).map(({ name, contentType, content }) => ({
      name,
      content_type: contentType,
      content_base64: Buffer.from(content).toString("base64"),
    }))
    return { ...view(worker, version), modules }
  }

  return app
}

function runtimeOf({ limits, placement }: RuntimeSettings): RuntimeSettings {
  return { ...(limits && { limits }), ...(placement && { placement }) }
}

function viewOf(worker: Worker, version: Version, textsHidden: boolean) {
  const withoutText = ({ text: _text, ...binding }: Binding): Binding => binding
  const bindings = version.bindings.map(withDatabaseId)
  const host = workersDevHost(worker.name)
  return {
    id: version.id,
    number: version.number,
    created_on: version.created_on,
    source: version.source,
    author_id: account.id,
    author_email: account.email,
    main_module: version.main_module,
    bindings: (textsHidden ? bindings.map(withoutText) : bindings).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
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

/** Inherits omitted fields, including annotations: OpenAPI, `patchLatestWorkerVersion`. */
function patchVersion(
  { annotations, compatibility_date, compatibility_flags, runtime }: Version,
  patch: Omit<z.infer<typeof VersionPatch>, "env">,
): z.infer<typeof Patched> {
  const date = compatibility_date !== "" && { compatibility_date }
  const latest = { annotations, ...date, compatibility_flags, ...runtime }
  return parse(Patched, mergePatch(latest, patch))
}

const ScriptList = z.strictObject({ ...paging, deployable: z.stringbool().optional() })

/** `…/workers/scripts/{script}/versions`, which wrangler reads. */
export function scriptVersions(control: Control) {
  const { state } = control
  const read = createVersionReader(control)
  const app = new Hono()

  app.get("/:script/versions", (c) => {
    const worker = requireWorker(state, c.req.param("script"))
    const { deployable, ...page } = query(c, ScriptList)
    const list = deployable ? listDeployableVersions : listVersions
    const { result, result_info } = paginate(list(state, worker.id), page)
    const items = result.map((version) =>
      Object.assign(summary(version), { annotations: version.annotations }),
    )
    return c.json(success({ items }, { result_info }))
  })

  app.get("/:script/versions/:version", noQuery, (c) => {
    const worker = requireWorker(state, c.req.param("script"))
    const version = read(worker, c.req.param("version"))
    const versionView = scriptView(version, worker.settings.subdomain.previews_enabled)
    return c.json(success({ ...versionView, annotations: version.annotations }))
  })

  return app
}

/** Changes only when code changes. */
function etagOf({ modules }: Version): string {
  return createHash("sha256").update(JSON.stringify(modules)).digest("hex")
}

function scriptView(version: Version, hasPreview = false) {
  return {
    ...summary(version, hasPreview),
    resources: {
      bindings: version.bindings.map(withBothDatabaseIds),
      script: {
        etag: etagOf(version),
        handlers: ["fetch"],
        last_deployed_from: version.source,
      },
      script_runtime: {
        ...(version.compatibility_date !== "" && {
          compatibility_date: version.compatibility_date,
        }),
        compatibility_flags: version.compatibility_flags,
        usage_model: "standard",
        ...(version.runtime.limits && { limits: version.runtime.limits }),
      },
    },
  }
}

function summary(version: Version, hasPreview = false) {
  return {
    id: version.id,
    number: version.number,
    metadata: {
      created_on: version.created_on,
      modified_on: version.created_on,
      source: version.source,
      author_id: account.id,
      author_email: account.email,
      hasPreview,
    },
  }
}

/** Creates a function that reads versions by id. The first `lateReads` reads of each version throw 404. */
function createVersionReader({ state, settings }: Control) {
  const missed = new Map<string, number>()
  return (worker: Worker, id: string): Version => {
    const version = requireVersion(state, worker, id)
    const before = missed.get(id) ?? 0
    if (before >= settings.read().doubts.lateReads) return version
    missed.set(id, before + 1)
    throw noVersion(worker, id)
  }
}
