import { calls } from "./calls.generated.ts"
import { conventionalPath } from "./conventional-path.ts"
import type { CallOptions, Operations } from "./operation.ts"
import { type Fields, type Send, sendCall, urlOf } from "./send.ts"
import { createSessionRenewal } from "./session-renewal.ts"
import { createSessionStore, type Session, type SessionStore } from "./session-store.ts"

type Options = {
  /** Origin of the service, such as https://api.example.com. */
  url: string
  /** Replaces the global `fetch`. */
  fetch?: Send
  /** The result of `getSession` on the server that rendered this page, so that the page does not ask again. */
  session?: Session | null | undefined
}

/** Every operation, by feature, and the signed-in user's session. */
export type Client = Operations & { session: SessionStore }

/** By default a POST to its conventional path by a signed-in user. */
type Call = { method?: "GET"; path?: string; isOpen?: true; redirects?: true }

/**
 * The service's operations by feature: `client.journal.createEntry({ … })`. No operation throws: each returns
 * `{ data }` or `{ error }`, whose `code` tells errors apart.
 */
export function createClient({
  url,
  fetch: send = (...args) => fetch(...args),
  session: initial,
}: Options): Client {
  // Throws here if the front end has no URL, which would later look like an unreachable service.
  const base = new URL(url).href
  const { getSession } = calls.auth
  const call = (operation: Call, path: string, input: Fields, signal?: AbortSignal) => {
    const { method = "POST", isOpen } = operation
    // Another tab may have signed in another user, who must not get what this page writes.
    const user = !isOpen && method === "POST" ? store.believed() : undefined
    return sendCall({ base, call: { method, path }, input, signal, send, user })
  }
  const askSession = () => call(getSession, conventionalPath("auth", "getSession"), {})
  const renewal = createSessionRenewal(async () => {
    const result = await askSession()
    if (!result.error) store.observe(idIn(result.data))
    return result
  })

  const operationOf = (noun: string, name: string, operation: Call) => {
    const { path = conventionalPath(noun, name), isOpen } = operation
    const isOfSession = operation.method === undefined && (noun === "auth" || noun === "user")
    // E-mails and challenges only begin a flow, so they change nothing about the session.
    const isChange = isOfSession && !/^(request|send|begin)|Begin$/.test(name)
    return operation.redirects
      ? (input: Fields) => urlOf(base, { path }, input)
      : async (input: Fields = {}, { signal }: CallOptions = {}) => {
          const result = await call(operation, path, input, signal)
          const { error } = result
          signalPasskeys(result)
          if (operation === getSession) renewal.renewed()
          if (!isOpen && !error) void renewal.used()
          const identity = error ? undefined : userFromAnswer(operation, result.data)
          if (identity !== undefined) store.tell(identity, operation.method === undefined)
          else if (error?.code === "SESSION_CHANGED") store.outdated()
          // The browser may have another session or none, or its user may have another name.
          else if (error ? !isOpen && error.code === "UNAUTHORIZED" : isChange) store.changed()
          return result
        }
  }

  const nouns = Object.entries(calls).map(([noun, operations]) => {
    const methods = Object.entries(operations).map(([name, operation]) => [
      name,
      operationOf(noun, name, operation),
    ])
    return [noun, Object.fromEntries(methods)]
  })
  const operations: Operations = Object.fromEntries(nouns)
  const store = createSessionStore(async () => {
    const result: Awaited<ReturnType<Operations["auth"]["getSession"]>> = Object(await askSession())
    renewal.renewed()
    return result
  }, initial)
  return { ...operations, session: store }
}

/** Reads the signed-in user's id from an answer that has the user; null if no user is signed in. */
function idIn(data: unknown): string | null {
  return Object(data).user?.id ?? null
}

/** Reads who is signed in after a call, if its answer contains it. */
function userFromAnswer(operation: Call, data: unknown) {
  const { getSession, signOut, deleteUser } = calls.auth
  if (operation === signOut || operation === deleteUser) return null
  // If addresses are verified first, the response of a sign-up has no token.
  const { token, user } = Object(data)
  const says = (token && user) || operation === getSession || operation === calls.user.whoami
  return says ? idIn(data) : undefined
}

/** Tells a browser that supports it which passkeys its devices should no longer offer. */
function signalPasskeys({ data, error }: { data?: unknown; error?: object | undefined }) {
  const browser = Object(globalThis).PublicKeyCredential
  const signal = (list: string, passkeys: unknown) =>
    passkeys && browser?.[`signal${list}`]?.(passkeys).catch(() => {})
  signal("AllAcceptedCredentials", Object(data).acceptedPasskeys)
  signal("UnknownCredential", Object(error).unknownCredential)
}
