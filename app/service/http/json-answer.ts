import type { Context } from "hono"

import type { HonoEnv } from "./hono-env.ts"
import { corsHeaders } from "./origin.ts"
import { fixedHeaders } from "./response-headers.ts"

/** By origin, which is a trusted one, and version. */
const lists = new Map<string, Headers>()

/**
 * Answers with the headers that every answer to the origin has, as one list: `guardOrigin` and
 * `addResponseHeaders` then set none of them.
 */
export function answerJson(context: Context<HonoEnv>, value: unknown) {
  const origin = context.req.header("origin")
  const { id } = context.env.VERSION
  const headers = lists.get(`${id} ${origin}`) ?? listFor(id, origin)
  const answer = new Response(JSON.stringify(value), { headers })
  context.set("complete", answer)
  return answer
}

function listFor(version: string, origin: string | undefined) {
  const type = [["content-type", "application/json"]]
  const headers = new Headers([...type, ...corsHeaders(origin), ...fixedHeaders(version)])
  lists.set(`${version} ${origin}`, headers)
  return headers
}
