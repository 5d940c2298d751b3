import type { State } from "./resource.ts"

/** The state of what only a program makes. Cloudflare has nothing of it that an import could take over. */
export function readDeclaredOnly(state: State): State {
  // An import comes with an id alone.
  if (Object.keys(state.outputs).length > 0) return state
  throw new Error(
    "It cannot be imported, as Cloudflare has nothing of it: declare it, and `up` makes it",
  )
}
