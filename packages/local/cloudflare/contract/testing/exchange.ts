import * as z from "zod"

/** JSON is kept, of a long string its beginning; anything else as its size and hash. */
const Plain = z.union([
  z.strictObject({ type: z.string(), json: z.unknown() }),
  z.strictObject({ type: z.string(), bytes: z.number(), sha256: z.string() }),
])
export type Plain = z.infer<typeof Plain>

const Part = z.strictObject({ name: z.string(), filename: z.string().optional(), content: Plain })
export type Part = z.infer<typeof Part>

const Body = z.union([z.strictObject({ type: z.string(), parts: z.array(Part) }), Plain])
export type Body = z.infer<typeof Body>

export const Exchange = z.strictObject({
  time: z.string(),
  userAgent: z.string(),
  method: z.string(),
  /** Including `/client/v4`, without the query. */
  path: z.string(),
  query: z.array(z.tuple([z.string(), z.string()])),
  /** Null without a body, or when the client disconnected before its end. */
  request: Body.nullable(),
  status: z.number(),
  response: Body.nullable(),
})
export type Exchange = z.infer<typeof Exchange>
