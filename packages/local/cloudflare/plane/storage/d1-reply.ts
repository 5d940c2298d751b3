import * as z from "zod"

import { QueryError } from "../plane.ts"

const Meta = z.looseObject({ changes: z.number(), last_row_id: z.number() })

const Reply = z.union([
  z.array(
    z.object({
      results: z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.unknown())) }),
      meta: Meta,
    }),
  ),
  z.object({ success: z.literal(false), error: z.string() }),
])

/** What Miniflare's D1 answers. @throws QueryError */
export function readReply(answer: unknown) {
  const reply = Reply.parse(answer)
  if (!Array.isArray(reply)) throw new QueryError(reply.error)
  return reply.map(({ results, meta }) => Object.assign(results, { meta }))
}
