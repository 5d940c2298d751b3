import type { Remote } from "./network.ts"

const host = "challenges.cloudflare.com"

/** Stands in for Turnstile, which a test may make answer something else. A token is good once. */
export function createTurnstile() {
  const tokens = new Map<string, { action: string; hostname: string }>()
  const asked: URLSearchParams[] = []
  const state: { remote?: Remote } = {}
  const remote: Remote = async (request) => {
    const form = new URLSearchParams(new TextDecoder().decode(await request.clone().arrayBuffer()))
    asked.push(form)
    if (state.remote !== undefined) return state.remote(request)
    const token = form.get("response") ?? ""
    const made = tokens.get(token)
    tokens.delete(token)
    return Response.json(
      made
        ? { success: true, "error-codes": [], ...made, challenge_ts: "2026-11-24T12:00:00Z" }
        : { success: false, "error-codes": ["timeout-or-duplicate"] },
    )
  }
  return {
    host,
    remote,
    asked,
    answers: (other: Remote) => {
      state.remote = other
    },
    /** Returns a token as the widget does. */
    pass: (action: string, hostname = "localhost") => {
      const token = crypto.randomUUID()
      tokens.set(token, { action, hostname })
      return token
    },
    bindings: { TURNSTILE_SITE_KEY: "site-key", TURNSTILE_SECRET: "turnstile-secret" },
  }
}
