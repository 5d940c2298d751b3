import { AsyncLocalStorage } from "node:async_hooks"

/** A D1 session of a request, and the bookmarks of the states that it has seen. */
type Place = { session: D1DatabaseSession; seen: string[] }

/* D1's bookmark format, which sorts by time. */
const bookmarkShape = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/**
 * The database of an environment with read replication. The first query of a request goes to the primary, so that
 * ended sessions, roles and passwords are never valid. Only queries in `near` may read a replica, which is never older
 * than the browser's bookmark.
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

    /** Returns the bookmark of the latest state that the action has read or written, if any. */
    during: async (action: () => Promise<unknown>) => {
      const bookmarks: string[] = []
      await ask("first-primary", bookmarks, action)
      return bookmarks.toSorted().at(-1)
    },

    /** @param bookmark state that the browser has seen; an invalid bookmark is ignored */
    near: <Result>(bookmark: string | undefined, action: () => Promise<Result>) => {
      const isBookmark = bookmark !== undefined && bookmarkShape.test(bookmark)
      const at = isBookmark ? bookmark : "first-unconstrained"
      return ask(at, places.getStore()?.seen ?? [], action)
    },
  }
}
