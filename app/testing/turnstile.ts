import type { Remote } from "./network.ts"

const host = "challenges.cloudflare.com"

/** Stands in for Turnstile, which a test may make answer something else. A token is good once. */
export function createTurnstile() {
  const tokens = new Map<string, { action: string; hostname: string }>()
  const forms: URLSearchParams[] = []
  const state: { remote?: Remote } = {}
  const remote: Remote = async (request) => {
    const form = new URLSearchParams(new TextDecoder().decode(await request.clone().arrayBuffer()))
    forms.push(form)
    if (state.remote !== undefined) return state.remote(request)
    const token = form.get("response") ?? ""
    const verdict = tokens.get(token)
    tokens.delete(token)
    return Response.json(
      verdict
        ? { success: true, "error-codes": [], ...verdict, challenge_ts: "2026-11-24T12:00:00Z" }
        : { success: false, "error-codes": ["timeout-or-duplicate"] },
    )
  }
  return {
    host,
    remote,
    asked: forms,
    answers: (replacement: Remote) => {
      state.remote = replacement
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
