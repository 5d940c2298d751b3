import { type Context, Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { sourceOf } from "../deployments/deployment.api.ts"
import { ApiError, noQuery, parse, parseJson, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { readForm, readModules } from "./multipart.ts"
import { scriptView } from "./script.api.ts"
import { putContent } from "./script.ts"
import { latestVersion, modulesOf } from "./version.store.ts"
import { requireWorker } from "./worker.store.ts"

const Metadata = z.strictObject({
  main_module: z.string().optional(),
  body_part: z.string().optional(),
})

/** The code of scripts alone. Repeats: put uploads and deploys a new version. */
export function scriptContents(control: Control) {
  const { state, blobs } = control
  const app = new Hono()

  for (const path of ["/:script", "/:script/content/v2"]) {
    app.get(path, noQuery, (c) => download(c))
  }

  // Source: the OpenAPI document, worker-script-put-content. That it serves at once is assumed.
  app.put("/:script/content", noQuery, async (c) => {
    const name = c.req.param("script")
    requireWorker(state, name)
    const form = await readForm(c)
    const { worker, version } = await putContent(control, name, {
      mainModule: await mainModuleOf(c, form),
      modules: await readModules(form),
      source: sourceOf(c.req.header("user-agent")),
    })
    return c.json(success(scriptView(control, worker, version)))
  })

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

/** Four ways to name it; openapi: Put script content. */
async function mainModuleOf(c: Context, form: FormData): Promise<string> {
  const part = form.get("metadata")
  const text = typeof part === "string" ? part : await part?.text()
  const sent = text === undefined ? {} : parse(Metadata, parseJson(text))
  const named =
    sent.main_module ??
    sent.body_part ??
    c.req.header("cf-worker-main-module-part") ??
    c.req.header("cf-worker-body-part")
  if (named !== undefined) return named
  throw new ApiError(400, code.badMetadata, "The upload does not name its main module")
}
