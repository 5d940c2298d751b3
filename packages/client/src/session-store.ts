import type { Answer, Failure, Result } from "./operation.ts"
import { write } from "./storage.ts"

export type Session = NonNullable<Answer<"getSession">>

/** `session` is undefined until the service has answered once, and null if no user is signed in. */
export type SessionState = {
  session: Session | null | undefined
  /** Why the last question has no answer; `session` is then what was known before. */
  error: Failure<"getSession"> | undefined
}

/** The signed-in user, for a front end to subscribe to. */
export type SessionStore = {
  /** The same object until something changes, as `useSyncExternalStore` wants it. */
  get(): SessionState
  /**
   * The state that the client was created with: `useSyncExternalStore` takes it as the third argument, on
   * the server and as its page begins.
   */
  getInitial(): SessionState
  /** Asks the service when the first one listens, unless the client was told. @returns ends it */
  subscribe(listener: () => void): () => void
  /** Asks the service. */
  refresh(): Promise<void>
}

type PageEvent = { type: string; key?: string | null; newValue?: string | null }

type Listen = (name: string, listener: (event: PageEvent) => void) => void

/** A page hears of other tabs, and of the network; a server has neither. */
const page: { addEventListener?: Listen; document?: { hidden: boolean } } = Object(globalThis)

/** Id of the signed-in user, empty if there is none: every answer that contains it tells the other tabs. */
const whoKey = "accounts.user"
/** Something else about them has changed. */
const changedKey = "accounts.session-changed"

type Id = string | null

/** @param initial What a server has asked for this page. */
export function createSessionStore(
  ask: () => Promise<Result<"getSession">>,
  initial: Session | null | undefined,
) {
  const first: SessionState = { session: initial, error: undefined }
  let state = first
  const shownUser = () => state.session && state.session.user.id
  /** The user whom the page knows to be signed in: its writes are for no other. */
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
    // The answer to a later question stands.
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
  /** A page that was opened while the service was away is not left alone, nor do all come back at once. */
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
  /** Takes who is signed in from an answer that the page does not show. @param isNew By a new session */
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
    /** The page was told who is signed in. */
    tell(id: Id, isNew: boolean) {
      believed = id
      observe(id, isNew)
    },
    /** A call has changed what the page shows of the signed-in user, or has found it outdated. */
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
