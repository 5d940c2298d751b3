import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { openLocalStack } from "../../../cli/stack/local-stack.ts"
import type { Overrides } from "../../../cli/stack/project.ts"
import { up } from "../../../cli/stack/stack.ts"
import type { Database } from "../../../d1-migrations/d1/database.ts"
import { createApi } from "../../../provider/api.ts"
import { openDatabase } from "../../../provider/migrations/own-names.ts"

/** An environment on this machine, with its own local Cloudflare and state until it is disposed. */
export type LocalDeployment = AsyncDisposable & { url: string; database: Database }

export async function deployLocal(overrides: Overrides = {}): Promise<LocalDeployment> {
  const state = mkdtempSync(join(tmpdir(), "accounts-deployed-"))
  await using started = new AsyncDisposableStack()
  started.defer(() => rmSync(state, { recursive: true, force: true, maxRetries: 5 }))
  const ports = { apiPort: 0, port: 0 }
  const { stack, cloudflare } = started.use(
    await openLocalStack({ state, ...ports, engine: undefined }, { overrides }),
  )
  const { outputs } = await up(stack)
  const { api, token, accountId } = cloudflare
  const databaseId = String(outputs["databaseId"])
  const kept = started.move()
  return {
    url: String(outputs["url"]),
    database: openDatabase({ api: createApi({ baseUrl: api, token }), accountId, databaseId }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
