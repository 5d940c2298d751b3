import { afterAll } from "vitest"

import { localCloudflare } from "./local-cloudflare.ts"
import { createWorker, deployVersion, type Upload, uploadVersion } from "./worker.ts"

/** The account of a local Cloudflare that all tests of a file share, and Cloudflare's SDK for it. */
export async function openTestAccount() {
  const cloudflare = await localCloudflare()
  afterAll(() => cloudflare[Symbol.asyncDispose]())
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  return {
    cloudflare,
    client,
    account_id: accountId,
    createWorker: (name: string) => createWorker(client, accountId, name),
    uploadVersion: (workerId: string, extra: Pick<Upload, "code" | "bindings"> = {}) =>
      uploadVersion(client, { workerId, accountId, ...extra }),
    deployVersion: (script: string, versionId: string) =>
      deployVersion(client, { accountId, script, versionId }),
    /** A request below the account that no SDK would send, and its answer. */
    send: async (method: string, path: string, body?: unknown): Promise<[number, unknown]> => {
      const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) }
      const response = await cloudflare.request(`/accounts/${accountId}${path}`, init)
      return [response.status, await response.json()]
    },
  }
}
