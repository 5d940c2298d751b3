import type { Services } from "../../services.ts"
import type { Env } from "../configuration/env.ts"

export type HonoEnv = {
  Bindings: Env
  Variables: {
    services: Services
    /** The declared path, such as `/api/auth/reset-password/:token`: safe to log. */
    route: string | undefined
    /** An origin that is not trusted: a browser shows its page no reason, so the log does. */
    refusedOrigin: string | undefined
  }
}
