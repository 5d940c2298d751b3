import { localCloudflare } from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import * as z from "zod"

import { createApi } from "../d1/cloudflare-api.ts"
import { cloudflareD1 } from "../d1/cloudflare.ts"
import { type Database, openDatabase } from "../d1/database.ts"

const Results = z.array(z.object({ results: z.array(z.unknown()) }))

/** Real D1 databases, in a local Cloudflare. */
export async function startLocalD1() {
  const cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const api = createApi({ token: cloudflare.token, baseUrl: cloudflare.api })
  const root = `/accounts/${accountId}/d1/database`
  /** D1's answer, with a result for each statement. */
  const send = (databaseId: string, sql: string) =>
    api.post(`${root}/${databaseId}/query`, { sql }, z.unknown())
  /** The rows of each statement. */
  const queryAll = async (databaseId: string, sql: string): Promise<unknown[][]> =>
    Results.parse(await send(databaseId, sql)).map(({ results }) => results)
  return {
    send,
    queryAll,
    /** The rows of the first statement. */
    async query(databaseId: string, sql: string): Promise<unknown[]> {
      const [first] = await queryAll(databaseId, sql)
      return first ?? []
    },
    async createDatabase(name: string): Promise<string> {
      const settings = { name, read_replication: { mode: "disabled" } }
      return (await api.post(root, settings, z.object({ uuid: z.string() }))).uuid
    },
    d1: (databaseId: string) => cloudflareD1({ api, accountId, databaseId }),
    open: (databaseId: string): Database =>
      openDatabase(cloudflareD1({ api, accountId, databaseId })),
    [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose](),
  }
}
