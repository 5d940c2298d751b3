import * as z from "zod"

/** JSON is kept whole; of anything else, how much it was and a hash. */
const Plain = z.union([
  z.strictObject({ type: z.string(), json: z.unknown() }),
  z.strictObject({ type: z.string(), bytes: z.number(), sha256: z.string() }),
])
export type Plain = z.infer<typeof Plain>

const Part = z.strictObject({ name: z.string(), filename: z.string().optional(), content: Plain })
export type Part = z.infer<typeof Part>

const Body = z.union([z.strictObject({ type: z.string(), parts: z.array(Part) }), Plain])
export type Body = z.infer<typeof Body>

/** One request to Cloudflare's API and its answer: a line of a recording. */
export const Exchange = z.strictObject({
  time: z.string(),
  userAgent: z.string(),
  method: z.string(),
  /** With `/client/v4`, without the query. */
  path: z.string(),
  query: z.array(z.tuple([z.string(), z.string()])),
  /** Null where there is no body, or its sender went away within it. */
  request: Body.nullable(),
  status: z.number(),
  response: Body.nullable(),
})
export type Exchange = z.infer<typeof Exchange>
