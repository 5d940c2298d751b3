import type { Env } from "../env.ts"
import type { Isolate } from "../services.ts"

/** What Hono's handlers are given. */
export type Http = { Bindings: Env; Variables: { isolate: Isolate; route: string | undefined } }
