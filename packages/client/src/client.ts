import { calls } from "./calls.generated.ts"
import type { CallOptions, Operations } from "./operation.ts"
import { type Send, sendCall, urlOf } from "./send.ts"
import { createSessionRenewal } from "./session-renewal.ts"
import { createSessionStore, type SessionStore } from "./session-store.ts"

type Options = {
  /** Origin of the service, such as https://api.example.com. */
  url: string
  /** Replaces the global `fetch`. */
  fetch?: Send
}

/** Every operation, by noun, and who is signed in. */
export type Client = Operations & { session: SessionStore }

type Call = { method: string; path: string; needsSession: boolean; redirects: boolean }

/**
 * The service's operations by noun: `client.journal.createEntry({ … })`. None throws: each gives
 * `{ data }` or `{ error }`, whose `code` tells errors apart.
 */
export function createClient({
  url,
  fetch: send = (...given) => fetch(...given),
}: Options): Client {
  // A forgotten variable of the front end shows here, not as a service that does not answer.
  const base = new URL(url).href
  const { getSession } = calls.auth
  const call = ({ method, path }: Call, input: object, signal?: AbortSignal) =>
    sendCall({ base, call: { method, path }, input: { ...input }, signal, send })
  const renewal = createSessionRenewal(() => call(getSession, {}))

  const operationOf = (noun: string, known: Call) =>
    known.redirects
      ? (input: object) => urlOf(base, known, { ...input })
      : async (input: object = {}, { signal }: CallOptions = {}) => {
          const result = await call(known, input, signal)
          if (known === getSession) renewal.renewed()
          if (known.needsSession && !("error" in result)) void renewal.used()
          if (changesSession(noun, known, result.error?.code)) session.changed()
          return result
        }

  const nouns = Object.entries(calls).map(([noun, own]) => {
    const named = Object.entries(own).map(([name, known]) => [name, operationOf(noun, known)])
    return [noun, Object.fromEntries(named)]
  })
  const operations: Operations = Object.fromEntries(nouns)
  const session = createSessionStore(() => operations.auth.getSession())
  return { ...operations, session }
}

/** Whether somebody else may be signed in after a call, or under another name. */
function changesSession(noun: string, { method, needsSession }: Call, code: string | undefined) {
  if (code !== undefined) return needsSession && code === "UNAUTHORIZED"
  return method === "POST" && (noun === "auth" || noun === "user")
}
