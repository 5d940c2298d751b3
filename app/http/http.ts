import type { Bound } from "../bound.ts"
import type { Isolate } from "../isolate.ts"

/** What Hono's handlers are given. */
export type Http = { Bindings: Bound; Variables: { isolate: Isolate; route: string | undefined } }
