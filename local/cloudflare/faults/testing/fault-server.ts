import { readFile } from "node:fs/promises"
import { join } from "node:path"

import * as z from "zod"

import { localCloudflareHere } from "../../testing/in-process.ts"
import { localCloudflare } from "../../testing/process.ts"
import { createWorker, deployVersion, uploadVersion } from "../../testing/worker.ts"

const Rules = z.array(z.looseObject({ name: z.string(), seen: z.number(), fired: z.number() }))
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown(),
})

/** Only flags take a process of their own. */
export async function startFaultServer(...flags: string[]) {
  const cloudflare = await (flags.length > 0 ? localCloudflare(...flags) : localCloudflareHere())
  const base = new URL("/local/", cloudflare.api)
  const token = await cloudflare.token()

  async function callLocal(method: string, path: string, body?: unknown) {
    const response = await fetch(new URL(path, base), {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { success, errors, result } = Envelope.parse(await response.json())
    if (!success) throw new Error(errors.map(({ message }) => message).join())
    return result
  }

  return {
    ...cloudflare,
    /** Read once: a restart would change the addresses, and these tests never restart. */
    api: cloudflare.api,
    edge: cloudflare.edge,
    edgeTls: cloudflare.edgeTls,
    callLocal,
    /** Replaces all rules. */
    inject: (...rules: unknown[]) => callLocal("PUT", "faults", { rules }),
    rules: async () => Rules.parse(await callLocal("GET", "faults")),
    /** How many faults the current rules have injected. */
    fired: async () =>
      Rules.parse(await callLocal("GET", "faults")).reduce((sum, { fired }) => sum + fired, 0),
    log: async () => {
      const text = await readFile(join(cloudflare.directory, "cloudflare", "log.ndjson"), "utf8")
      const lines = text.trim().split("\n")
      return lines.map((line) => z.looseObject({ event: z.string() }).parse(JSON.parse(line)))
    },
  }
}

/** Deploys a Worker with a database, at `<name>.accounts.test`. */
export async function deploySite(
  cloudflare: Awaited<ReturnType<typeof startFaultServer>>,
  name: string,
  code?: string,
) {
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const { uuid: databaseId = "" } = await client.d1.database.create({ account_id: accountId, name })
  const { id: workerId } = await createWorker(client, accountId, name)
  const bindings = [{ type: "d1" as const, name: "DB", database_id: databaseId }]
  const upload = async () =>
    (await uploadVersion(client, { accountId, workerId, bindings, ...(code && { code }) })).id
  const deploy = (versionId: string) =>
    deployVersion(client, { accountId, script: name, versionId })
  const versionId = await upload()
  await deploy(versionId)
  const host = `${name}.accounts.test`
  await client.workers.domains.update({ account_id: accountId, hostname: host, service: name })
  return { client, databaseId, workerId, versionId, host, upload, deploy }
}
