import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import type { Database } from "@accounts/d1-migrations/d1"
import * as z from "zod"

import { createApi } from "../../provider/api.ts"
import { openDatabase } from "../../provider/migrations/own-names.ts"
import { joinOrStart } from "../process/local-cloudflare.ts"

const Created = z.object({ uuid: z.string() })

export type ScratchAccount = AsyncDisposable & {
  accountId: string
  /** Where Workers answer. */
  edge: string
  /** Creates something in the account. */
  post<Result>(path: string, body: unknown, result: z.ZodType<Result>): Promise<Result>
  createDatabase(name: string): Promise<Database>
  /** Lines that Workers logged, oldest first. */
  logged: string[]
}

type Endpoint = { api: string; edge: string; accountId: string; token: string }

/** An account of a local Cloudflare of its own, which goes with all that is in it. */
export async function openScratchAccount(): Promise<ScratchAccount> {
  await using opened = new AsyncDisposableStack()
  const { path: state } = opened.use(mkdtempDisposableSync(join(tmpdir(), "accounts-rehearsal-")))
  const logged: string[] = []
  const onLog = (line: string) => void logged.push(line)
  const cloudflare = await joinOrStart({ state, apiPort: 0, port: 0, onLog })
  opened.defer(() => cloudflare.stop())
  const kept = opened.move()
  const dispose = () => kept.disposeAsync()
  return { ...openAccountAt(cloudflare), logged, [Symbol.asyncDispose]: dispose }
}

/** The same in a local Cloudflare that runs already and stays. */
export function openAccountAt({ api, edge, accountId, token }: Endpoint) {
  const requests = createApi({ baseUrl: api, token })
  const root = `/accounts/${accountId}`
  const post = <Result>(path: string, body: unknown, result: z.ZodType<Result>) =>
    requests.post(`${root}${path}`, body, result)
  return {
    accountId,
    edge,
    post,
    logged: [],
    async createDatabase(name: string): Promise<Database> {
      const settings = { name, read_replication: { mode: "disabled" } }
      const { uuid: databaseId } = await post("/d1/database", settings, Created)
      return openDatabase({ api: requests, accountId, databaseId })
    },
    async [Symbol.asyncDispose]() {},
  }
}
