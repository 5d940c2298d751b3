import type { Services } from "../../services.ts"
import type { Seen } from "../auth/session-snapshot.ts"
import type { Env } from "../configuration/env.ts"

export type HonoEnv = {
  Bindings: Env
  Variables: {
    services: Services
    /** The declared path, such as `/api/auth/reset-password/:token`: safe to log. */
    route: string | undefined
    /** An origin that is not trusted: a browser shows its page no reason, so the log does. */
    refusedOrigin: string | undefined
    /** The session as the database has it, for a snapshot; null where an earlier one must go. */
    seen: Seen | null | undefined
    /** Seconds since the database was asked, where an answer stands in for its. */
    unconfirmed: number | undefined
  }
}
