import { createHash } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { noQuery, paginate, paging, query, success } from "../protocol/envelope.ts"
import { account } from "../seed.ts"
import { withBothDatabaseIds } from "./binding.ts"
import { createVersionReader } from "./version-reader.ts"
import { listDeployableVersions, listVersions, type Version } from "./version.store.ts"
import { requireWorker } from "./worker.store.ts"

const List = z.strictObject({ ...paging, deployable: z.stringbool().optional() })

/** `…/workers/scripts/{script}/versions`, as wrangler reads them. */
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

  app.get("/:script/versions/:version", noQuery, (c) => {
    const worker = requireWorker(state, c.req.param("script"))
    const version = read(worker, c.req.param("version"))
    const shown = view(version, worker.settings.subdomain.previews_enabled)
    return c.json(success({ ...shown, annotations: version.annotations }))
  })

  return app
}

/** Changes only when code changes. */
function etagOf({ modules }: Version): string {
  return createHash("sha256").update(JSON.stringify(modules)).digest("hex")
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
