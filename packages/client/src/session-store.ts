import type { Answer, Failure, Result } from "./operation.ts"

export type Session = NonNullable<Answer<"getSession">>

/** `session` is undefined until the service has answered once, and null if nobody is signed in. */
export type SessionState = {
  session: Session | null | undefined
  /** Why the last question has no answer; `session` is then what was known before. */
  error: Failure<"getSession"> | undefined
}

/** Who is signed in, for a front end to subscribe to. */
export type SessionStore = {
  /** The same object until something changes, as `useSyncExternalStore` wants it. */
  get(): SessionState
  /** Asks the service when the first one listens. @returns ends it */
  subscribe(listener: () => void): () => void
  /** Asks the service. */
  refresh(): Promise<void>
}

type Listen = (name: "storage", listener: (event: { key: string | null }) => void) => void

/** A page hears of other tabs; a server has none. */
const page: { addEventListener?: Listen; removeEventListener?: Listen } = Object(globalThis)

const key = "accounts.session-changed"

export function createSessionStore(ask: () => Promise<Result<"getSession">>) {
  let state: SessionState = { session: undefined, error: undefined }
  let latest = 0
  const listeners = new Set<() => void>()

  const refresh = async () => {
    const question = ++latest
    const { data, error } = await ask()
    // The answer to a later question stands.
    if (question !== latest) return
    state = { session: error ? state.session : (data ?? null), error }
    for (const listener of listeners) listener()
  }
  const elsewhere = (event: { key: string | null }) => {
    if (event.key === key) void refresh()
  }

  return {
    get: () => state,
    refresh,
    subscribe(listener: () => void) {
      listeners.add(listener)
      if (listeners.size === 1) {
        page.addEventListener?.("storage", elsewhere)
        void refresh()
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) page.removeEventListener?.("storage", elsewhere)
      }
    },
    /** A call may have changed who is signed in: also for other tabs, which hear of it by the storage. */
    changed() {
      try {
        localStorage.setItem(key, String(Date.now()))
      } catch {
        // There is no storage outside of browsers, and none where it is forbidden.
      }
      if (listeners.size > 0) void refresh()
    },
  }
}
