/** Replaces better-auth's in-memory store, its fallback when it is given no database. */
export function memoryAdapter() {
  throw new Error("auth.ts must give better-auth a database")
}
