import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { recordExchanges } from "../cloudflare/testing/record-exchanges.ts"
import { wireFiles } from "../cloudflare/testing/wire-files.ts"
import { createWorker, deployVersion, uploadVersion } from "../cloudflare/testing/worker.ts"
import { wranglerProject } from "../cloudflare/testing/wrangler.ts"

const zone_id = "7a6f6e656163636f756e747300000001"

test("wrangler reads what Cloudflare's SDK writes", { timeout: 400_000 }, async () => {
  await using recording = await recordExchanges(localCloudflare)
  const { cloudflare } = recording
  const { accountId, accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { d1, workers } = client
  const script_name = "of-the-sdk"
  const wire = wireFiles(recording, "sdk")

  const { uuid = "" } = await wire.of("d1-database-create", () =>
    d1.database.create({ account_id, name: "of-the-sdk", primary_location_hint: "weur" }),
  )
  await wire.of("d1-database-query", () =>
    d1.database.query(uuid, {
      account_id,
      sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('sdk')",
    }),
  )
  await wire.of("d1-database-raw", () =>
    d1.database.raw(uuid, { account_id, sql: "SELECT ? AS a, ? AS a", params: ["1", "2"] }),
  )
  await wire.of("d1-database-update", () =>
    d1.database.update(uuid, { account_id, read_replication: { mode: "auto" } }),
  )
  await wire.of("d1-database-list", () => Array.fromAsync(d1.database.list({ account_id })))
  await wire.of("d1-database-refused", () =>
    expect(d1.database.create({ account_id, name: "of-the-sdk" })).rejects.toThrow("7502"),
  )

  const worker = await wire.of("worker-create", () => createWorker(client, accountId, script_name))
  const version = await wire.of("version-create", () =>
    uploadVersion(client, {
      accountId,
      workerId: worker.id,
      bindings: [
        { type: "d1", name: "DB", database_id: uuid },
        { type: "secret_text", name: "GREETING", text: "hello" },
      ],
    }),
  )
  await wire.of("deployment-create", () =>
    deployVersion(client, { accountId, script: script_name, versionId: version.id }),
  )
  const second = await wire.of("version-create-again", () =>
    uploadVersion(client, { accountId, workerId: worker.id }),
  )
  await deployVersion(client, { accountId, script: script_name, versionId: second.id })
  await wire.of("domain-update", () =>
    workers.domains.update({ account_id, hostname: "sdk.accounts.test", service: script_name }),
  )
  const pattern = "accounts.test/sdk/*"
  const route = await wire.of("route-create", () =>
    workers.routes.create({ zone_id, pattern, script: script_name }),
  )
  await wire.of("schedules-update", () =>
    workers.scripts.schedules.update(script_name, { account_id, body: [{ cron: "0 4 * * *" }] }),
  )
  await wire.of("zones-list", () => Array.fromAsync(client.zones.list({ name: "accounts.test" })))

  await using wrangler = await wranglerProject({
    cloudflare,
    config: {
      name: script_name,
      d1_databases: [{ binding: "DB", database_name: "of-the-sdk", database_id: uuid }],
    },
    files: {},
  })
  const runJson = async (...args: string[]) => JSON.parse(await wrangler.run(args))
  const select = ["--remote", "--json", "--command", "SELECT text FROM note"]
  expect(await runJson("d1", "execute", "of-the-sdk", ...select)).toMatchObject([
    { results: [{ text: "sdk" }] },
  ])
  expect(await runJson("versions", "list", "--json")).toMatchObject([
    { id: version.id, number: 1 },
    { id: second.id, number: 2 },
  ])
  expect(await runJson("deployments", "status", "--json")).toMatchObject({
    versions: [{ version_id: second.id, percentage: 100 }],
  })
  expect(await runJson("versions", "view", version.id, "--json")).toMatchObject({
    resources: { bindings: expect.arrayContaining([expect.objectContaining({ id: uuid })]) },
  })
  await wrangler.run(["rollback", version.id, "-y"])
  expect(await runJson("deployments", "status", "--json")).toMatchObject({
    versions: [{ version_id: version.id }],
  })

  await wire.of("route-delete", () => workers.routes.delete(route.id, { zone_id }))
  await wire.of("worker-delete", () => workers.beta.workers.delete(worker.id, { account_id }))
  await wire.of("d1-database-delete", () => d1.database.delete(uuid, { account_id }))
  expect(await runJson("d1", "list", "--json")).toEqual([])
  await expect(wrangler.run(["deployments", "status"])).rejects.toThrow("10007")
  await wire.areAll()
})
