import type { Context } from "hono"
import * as z from "zod"

import type { Module } from "../plane/plane.ts"
import { ApiError, parse, parseJson } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { Bindings } from "./binding.ts"
import { ClassMigrations } from "./class-migrations.ts"
import { Annotations } from "./upload.ts"
import { RuntimeSettings } from "./version.store.ts"
import { Observability, TailConsumer } from "./worker-settings.ts"

export const Metadata = z
  .strictObject({
    main_module: z.string().optional(),
    body_part: z.string().optional(),
    bindings: Bindings.default([]),
    keep_assets: z.boolean().optional(),
    compatibility_date: z.union([z.iso.date(), z.literal("")]).optional(),
    compatibility_flags: z.array(z.string()).default([]),
    keep_bindings: z.array(z.string()).optional(),
    annotations: Annotations.default({}),
    usage_model: z.enum(["standard", "bundled", "unbound"]).optional(),
    logpush: z.boolean().optional(),
    ...RuntimeSettings.shape,
    observability: Observability.nullish(),
    tags: z.array(z.string()).nullish(),
    tail_consumers: z.array(TailConsumer).nullish(),
    migrations: ClassMigrations,
    /** For Durable Objects, which do not exist here. */
    code_update_strategy: z.json().optional(),
    /** Shown in Cloudflare's dashboard only. */
    package_dependencies: z.array(z.json()).optional(),
  })
  .refine(({ main_module, body_part }) => (main_module ?? body_part) !== undefined, {
    path: ["main_module"],
    message: "set `main_module`, or `body_part` for a script",
  })
export type Metadata = z.infer<typeof Metadata>

export async function readMultipart(
  c: Context,
): Promise<{ metadata: Metadata; modules: Module[] }> {
  const form = await readForm(c)
  const metadata = form.get("metadata")
  if (metadata === null) {
    throw new ApiError(400, code.badMetadata, "The upload has no part `metadata`")
  }
  const text = typeof metadata === "string" ? metadata : await metadata.text()
  return { metadata: parse(Metadata, parseJson(text)), modules: await readModules(form) }
}

/** Node's parser, because Hono's drops the content types of the parts. */
export async function readForm(c: Context): Promise<FormData> {
  try {
    return await c.req.raw.formData()
  } catch (cause) {
    const message = "The body is not multipart/form-data"
    throw new ApiError(400, code.badMetadata, message, { cause })
  }
}

async function readModules(form: FormData): Promise<Module[]> {
  const modules: Module[] = []
  for (const [name, part] of form) {
    if (name === "metadata") continue
    if (typeof part === "string") {
      throw new ApiError(
        400,
        code.badMetadata,
        `The part ${name} has no file name: modules need one`,
      )
    }
    const content = new Uint8Array(await part.arrayBuffer())
    modules.push({ name: part.name, contentType: part.type, content })
  }
  return modules
}
