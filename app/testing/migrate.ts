import { applyD1Migrations, type D1Migration } from "cloudflare:test"
import { env } from "cloudflare:workers"

import type { Bound } from "../bound.ts"

declare global {
  namespace Cloudflare {
    interface Env extends Bound {
      TEST_MIGRATIONS: D1Migration[]
    }
  }
}

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
