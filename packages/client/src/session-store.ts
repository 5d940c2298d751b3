import type { Answer, Failure, Result } from "./operation.ts"
import { write } from "./storage.ts"

export type Session = NonNullable<Answer<"getSession">>

/** `session` is undefined until the service has answered once, and null if no user is signed in. */
export type SessionState = {
  session: Session | null | undefined
  /** The error of the last request; `session` then keeps its previous value. */
  error: Failure<"getSession"> | undefined
}

/** The signed-in user, for a front end to subscribe to. */
export type SessionStore = {
  /** Returns the same object until something changes, as `useSyncExternalStore` requires. */
  get(): SessionState
  /**
   * Returns the state with which the client was created: the third argument of `useSyncExternalStore`, for the
   * server and for hydration.
   */
  getInitial(): SessionState
  /** Asks the service at the first subscription, unless the session is known. @returns a function to unsubscribe */
  subscribe(listener: () => void): () => void
  /** Asks the service for the session. */
  refresh(): Promise<void>
}

type PageEvent = { type: string; key?: string | null; newValue?: string | null }

type Listen = (name: string, listener: (event: PageEvent) => void) => void

/** A page gets events of other tabs and of the network; a server gets neither. */
const page: { addEventListener?: Listen; document?: { hidden: boolean } } = Object(globalThis)

/** Storage key of the signed-in user's id, empty if no user is signed in. A change notifies other tabs. */
const whoKey = "accounts.user"
/** Storage key that notifies other tabs of any other change to the session. */
const changedKey = "accounts.session-changed"

type Id = string | null

/** @param initial the session that a server has read for this page */
export function createSessionStore(
  ask: () => Promise<Result<"getSession">>,
  initial: Session | null | undefined,
) {
  const first: SessionState = { session: initial, error: undefined }
  let state = first
  const shownUser = () => state.session && state.session.user.id
  /** The user whom the page knows to be signed in: its writes are only for this user. */
  let believed = shownUser()
  let isStale = initial === undefined
  let isListening = false
  let latest = 0
  let misses = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const listeners = new Set<() => void>()

  const refresh = async () => {
    const question = ++latest
    isStale = false
    clearTimeout(timer)
    const { data, error } = await ask()
    // A later request replaces this response.
    if (question !== latest) return
    state = { session: error ? state.session : (data ?? null), error }
    isStale = error !== undefined
    if (isStale) comeBack(error && "retryAfter" in error ? error.retryAfter : 0)
    else {
      misses = 0
      believed = shownUser()
      publish(believed ?? null)
    }
    for (const listener of listeners) listener()
  }
  /** Asks again after an outage, with growing and random pauses, so that not all pages ask simultaneously. */
  const comeBack = (least = 0) => {
    const seconds = Math.max(least, Math.min(60, 2 ** misses++)) * (1 + Math.random())
    if (listeners.size > 0) timer = setTimeout(askIfStale, seconds * 1000)
  }
  const askIfStale = () => {
    if (isStale && listeners.size > 0 && page.document?.hidden !== true) void refresh()
  }
  const outdated = () => {
    isStale = true
    if (listeners.size > 0) void refresh()
  }
  const hear = ({ type, key, newValue }: PageEvent) => {
    if (type !== "storage") return askIfStale()
    if (key === changedKey || (key === whoKey && newValue !== (shownUser() ?? ""))) outdated()
  }
  const listen = () => {
    if (isListening) return
    isListening = true
    for (const name of ["storage", "online", "visibilitychange"]) {
      page.addEventListener?.(name, hear)
    }
  }
  /** Publishes the signed-in user, and asks again if the page shows another. @param isNew after a new session */
  const observe = (id: Id, isNew = false) => {
    publish(id)
    if (isNew || (state.session !== undefined && id !== shownUser())) outdated()
  }

  return {
    get: () => state,
    getInitial: () => first,
    refresh,
    subscribe(listener: () => void) {
      listeners.add(listener)
      listen()
      askIfStale()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) clearTimeout(timer)
      }
    },
    believed: () => believed,
    observe,
    /** Records the signed-in user from a response that the page gets. */
    tell(id: Id, isNew: boolean) {
      believed = id
      observe(id, isNew)
    },
    /** Notifies all tabs that a call has changed the signed-in user, or found that the session has ended. */
    changed() {
      write(changedKey, Date.now())
      outdated()
    },
    outdated,
  }
}

function publish(id: Id) {
  write(whoKey, id ?? "")
}
