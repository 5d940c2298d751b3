import { readFile } from "node:fs/promises"
import { join } from "node:path"

import * as z from "zod"

import { localCloudflare } from "../../cloudflare/testing/local-cloudflare.ts"
import { createWorker, deployVersion, uploadVersion } from "../../cloudflare/testing/worker.ts"

const Rule = z.looseObject({ name: z.string(), seen: z.number(), fired: z.number() })
const Rules = z.object({ result: z.array(Rule) })

/** The addresses are read once: a restart would change them, and these tests never restart. */
export async function startFaultServer() {
  const cloudflare = await localCloudflare()
  const rules = async () => Rules.parse(await cloudflare.local("/local/faults")).result

  return {
    ...cloudflare,
    /** Replaces all rules. */
    inject: (...faultRules: unknown[]) => cloudflare.local("/local/faults", { rules: faultRules }),
    rules,
    /** How many faults the current rules have injected. */
    fired: async () => (await rules()).reduce((sum, { fired }) => sum + fired, 0),
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
