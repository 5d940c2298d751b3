import { applyD1Migrations, reset, type D1Migration } from "cloudflare:test"
import { env } from "cloudflare:workers"

import type { Env as WorkerEnv } from "../service/platform/configuration/env.ts"

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {
      TEST_MIGRATIONS: D1Migration[]
    }
  }
}

/** Leaves nothing of the files that ran before in the same workerd. */
async function forgetOtherFiles() {
  // `reset` passes over what has been idle for ten seconds.
  await env.DB.prepare("select 1").run()
  for (const limit of [env.LIMIT_ADDRESS, env.LIMIT_EMAIL, env.LIMIT_MEMBER]) {
    await limit?.limit({ key: "" })
  }
  await reset()
}

await forgetOtherFiles()
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
