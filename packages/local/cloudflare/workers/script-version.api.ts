import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { sourceOf } from "../deployments/deployment.api.ts"
import { requireTracePropagation } from "../deployments/trace-propagation.ts"
import { noQuery, paginate, paging, query, success } from "../protocol/envelope.ts"
import { account } from "../seed.ts"
import { withBothDatabaseIds } from "./binding.ts"
import { readMultipart } from "./multipart.ts"
import { etagOf } from "./script.api.ts"
import { uploadFromScript } from "./script.ts"
import { storeVersion } from "./upload.ts"
import { createVersionReader } from "./version-reader.ts"
import { listDeployableVersions, listVersions, type Version } from "./version.store.ts"
import { withWorkerLock } from "./worker-lock.ts"
import { requireWorker } from "./worker.store.ts"

const UploadQuery = z.strictObject({ bindings_inherit: z.literal("strict").optional() })
const List = z.strictObject({ ...paging, deployable: z.stringbool().optional() })

/** `…/workers/scripts/{script}/versions`, used by wrangler. Repeats: every upload creates a version. */
export function scriptVersions(control: Control) {
  const { state } = control
  const read = createVersionReader(control)
  const app = new Hono()

  app.get("/:script/versions", (c) => {
    const worker = requireWorker(state, c.req.param("script"))
    const { deployable, ...page } = query(c, List)
    const list = deployable ? listDeployableVersions : listVersions
    const { result, result_info } = paginate(list(state, worker.id), page)
    const items = result.map((version) =>
      Object.assign(summary(version), { annotations: version.annotations }),
    )
    return c.json(success({ items }, { result_info }))
  })

  app.post("/:script/versions", async (c) => {
    query(c, UploadQuery)
    const upload = await readMultipart(c)
    requireTracePropagation(control, upload.metadata.observability)
    const source = sourceOf(c.req.header("user-agent"))
    const result = await withWorkerLock(control, c.req.param("script"), async (worker) => {
      const wanted = await uploadFromScript(
        control,
        worker,
        { ...upload, source },
        "version_upload",
      )
      const version = await storeVersion(control, worker, wanted)
      const shown = view(version, worker.settings.subdomain.previews_enabled)
      return {
        ...shown,
        // The specification spells it `has_preview`, wrangler reads `hasPreview`.
        metadata: { ...shown.metadata, has_preview: shown.metadata.hasPreview },
        startup_time_ms: version.startup_time_ms,
      }
    })
    return c.json(success(result))
  })

  app.get("/:script/versions/:version", noQuery, (c) => {
    const worker = requireWorker(state, c.req.param("script"))
    const version = read(worker, c.req.param("version"))
    const shown = view(version, worker.settings.subdomain.previews_enabled)
    return c.json(success({ ...shown, annotations: version.annotations }))
  })

  return app
}

function view(version: Version, hasPreview = false) {
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
