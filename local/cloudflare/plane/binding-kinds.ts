import * as z from "zod"

export const BindingName = z
  .string()
  .regex(/^[A-Za-z_$][\w$]*$/, "A binding's name is a JavaScript identifier")
const name = BindingName

/**
 * The kinds of binding that run here, in Cloudflare's JSON. The API accepts these and no others;
 * the plane starts versions with them.
 */
export const bindingKinds = {
  /** Clients write the id under either key: see `databaseIdOf`. */
  d1: z.strictObject({
    type: z.literal("d1"),
    name,
    id: z.string().optional(),
    database_id: z.string().optional(),
    internal_env: z.string().optional(),
  }),
  json: z.strictObject({ type: z.literal("json"), name, json: z.json() }),
  plain_text: z.strictObject({ type: z.literal("plain_text"), name, text: z.string() }),
  ratelimit: z.strictObject({
    type: z.literal("ratelimit"),
    name,
    namespace_id: z.string().min(1),
    simple: z.strictObject({
      limit: z.number().int().positive(),
      /** Seconds. */
      period: z.union([z.literal(10), z.literal(60)]),
      mitigation_timeout: z.number().optional(),
    }),
  }),
  secret_text: z.strictObject({ type: z.literal("secret_text"), name, text: z.string() }),
  version_metadata: z.strictObject({ type: z.literal("version_metadata"), name }),
}

export const RunnableBinding = z.discriminatedUnion("type", [
  bindingKinds.d1,
  bindingKinds.json,
  bindingKinds.plain_text,
  bindingKinds.ratelimit,
  bindingKinds.secret_text,
  bindingKinds.version_metadata,
])
export type RunnableBinding = z.infer<typeof RunnableBinding>

/** @returns undefined when a D1 binding has no id under either key */
export function databaseIdOf(binding: Record<string, unknown>): string | undefined {
  const id = binding["database_id"] ?? binding["id"]
  return typeof id === "string" && id !== "" ? id : undefined
}
