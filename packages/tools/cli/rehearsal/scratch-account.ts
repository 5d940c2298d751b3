import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import type { Database } from "@accounts-stack/d1-migrations/d1"
import * as z from "zod"

import { createApi } from "../../deploy/api.ts"
import { openDatabase } from "../../environment/own-names.ts"
import { joinOrStart } from "../process/local-cloudflare.ts"

const Created = z.object({ uuid: z.string() })

export type ScratchAccount = AsyncDisposable & {
  createDatabase(name: string): Promise<Database>
}

type Endpoint = { api: string; accountId: string; token: string }

/** An account of a local Cloudflare of its own, which goes with all that is in it. */
export async function openScratchAccount(): Promise<ScratchAccount> {
  await using opened = new AsyncDisposableStack()
  const { path: state } = opened.use(mkdtempDisposableSync(join(tmpdir(), "accounts-rehearsal-")))
  const cloudflare = await joinOrStart({ state, apiPort: 0, port: 0 })
  opened.defer(() => cloudflare.stop())
  const kept = opened.move()
  return { ...openAccountAt(cloudflare), [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** The same in a local Cloudflare that runs already and stays. */
export function openAccountAt({ api, accountId, token }: Endpoint): ScratchAccount {
  const requests = createApi({ baseUrl: api, token })
  return {
    async createDatabase(name) {
      const settings = { name, read_replication: { mode: "disabled" } }
      const path = `/accounts/${accountId}/d1/database`
      const { uuid: databaseId } = await requests.post(path, settings, Created)
      return openDatabase({ api: requests, accountId, databaseId })
    },
    async [Symbol.asyncDispose]() {},
  }
}
