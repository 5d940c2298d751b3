import { AsyncLocalStorage } from "node:async_hooks"

/** A database and the bookmarks of what a request has seen of it. */
type Place = { session: D1DatabaseSession; seen: string[] }

/* D1's own format; it sorts by time. */
const bookmarkShape = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/**
 * The database of an environment with read replication. Within a request, everything asks the primary
 * first, so that a session, role or password that has ended counts nowhere; only what is asked `near`
 * may be answered by a copy, as late as its lag but never earlier than the browser's bookmark.
 */
export function createReplicas(binding: D1Database) {
  const places = new AsyncLocalStorage<Place>()

  /** A cached statement runs in the D1 session of the request that executes it. */
  const statementOf = (sql: string, target: D1Database) =>
    new Proxy(target.prepare(sql), {
      get(prepared, name) {
        const statement = places.getStore()?.session.prepare(sql) ?? prepared
        const value: unknown = Reflect.get(statement, name)
        return typeof value === "function" ? value.bind(statement) : value
      },
    })

  const database = new Proxy(binding, {
    get(target, name) {
      const place = places.getStore()?.session ?? target
      if (name === "prepare") return (sql: string) => statementOf(sql, target)
      if (name === "batch") return (statements: D1PreparedStatement[]) => place.batch(statements)
      return Reflect.get(target, name)
    },
  })

  const ask = async <Result>(at: string, bookmarks: string[], action: () => Promise<Result>) => {
    const session = binding.withSession(at)
    const result = await places.run({ session, seen: bookmarks }, action)
    const bookmark = session.getBookmark()
    if (bookmark !== null) bookmarks.push(bookmark)
    return result
  }

  return {
    database,

    /** Returns the bookmark of the latest state that the action has seen or made, if any. */
    during: async (action: () => Promise<unknown>) => {
      const bookmarks: string[] = []
      await ask("first-primary", bookmarks, action)
      return bookmarks.toSorted().at(-1)
    },

    /** @param bookmark what the browser has seen before; anything else than a bookmark is none */
    near: <Result>(bookmark: string | undefined, action: () => Promise<Result>) => {
      const isBookmark = bookmark !== undefined && bookmarkShape.test(bookmark)
      const at = isBookmark ? bookmark : "first-unconstrained"
      return ask(at, places.getStore()?.seen ?? [], action)
    },
  }
}
