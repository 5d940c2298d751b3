import { type Context, Hono } from "hono"

import type { Control } from "../control.ts"
import { noQuery } from "../protocol/envelope.ts"
import { latestVersion, modulesOf } from "./version.store.ts"
import { requireWorker } from "./worker.store.ts"

/** The code of scripts alone. */
export function scriptContents({ state, blobs }: Control) {
  const app = new Hono()

  for (const path of ["/:script", "/:script/content/v2"]) {
    app.get(path, noQuery, (c) => download(c))
  }

  async function download(c: Context) {
    const worker = requireWorker(state, c.req.param("script") ?? "")
    const version = latestVersion(state, worker.id)
    if (version === undefined) return c.body(null, 204)
    const form = new FormData()
    for (const { name, contentType, content } of await modulesOf(version, blobs)) {
      form.append(name, new File([new Uint8Array(content)], name, { type: contentType }))
    }
    c.header("cf-entrypoint", version.main_module)
    return new Response(form, c.res)
  }

  return app
}
