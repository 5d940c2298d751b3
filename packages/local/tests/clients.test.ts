import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { recordExchanges } from "../cloudflare/testing/record-exchanges.ts"
import { wireFiles } from "../cloudflare/testing/wire-files.ts"
import { createWorker, deployVersion, source, uploadVersion } from "../cloudflare/testing/worker.ts"
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
  await wire.of("d1-database-edit", () =>
    d1.database.edit(uuid, { account_id, read_replication: { mode: "auto" } }),
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
  await wire.of("secret-update", () =>
    workers.scripts.secrets.update(script_name, {
      account_id,
      name: "LATER",
      text: "later",
      type: "secret_text",
    }),
  )
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
  await wire.of("settings-edit", () =>
    workers.scripts.settings.edit(script_name, { account_id, logpush: true, tags: ["by=sdk"] }),
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
  expect(await runJson("d1", "info", "of-the-sdk", "--json")).toMatchObject({
    uuid,
    num_tables: 1,
    read_replication: { mode: "auto" },
  })
  const select = ["--remote", "--json", "--command", "SELECT text FROM note"]
  expect(await runJson("d1", "execute", "of-the-sdk", ...select)).toMatchObject([
    { results: [{ text: "sdk" }] },
  ])
  const [first, second] = await runJson("versions", "list", "--json")
  expect([first, second]).toMatchObject([{ id: version.id, number: 1 }, { number: 2 }])
  expect(await runJson("deployments", "status", "--json")).toMatchObject({
    versions: [{ version_id: second.id, percentage: 100 }],
  })
  expect(await runJson("secret", "list")).toEqual([
    { name: "GREETING", type: "secret_text" },
    { name: "LATER", type: "secret_text" },
  ])
  expect(await runJson("versions", "view", second.id, "--json")).toMatchObject({
    resources: { bindings: expect.arrayContaining([expect.objectContaining({ id: uuid })]) },
  })
  await wrangler.run(["rollback", version.id, "-y"])
  expect(await runJson("secret", "list")).toHaveLength(2)
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

test("Cloudflare's SDK reads what wrangler writes", { timeout: 400_000 }, async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { d1, workers } = client
  await using wrangler = await wranglerProject({
    cloudflare,
    config: { name: "first" },
    files: {
      "worker.js": source,
      "migrations/0000_first.sql": "CREATE TABLE note (text TEXT);\nINSERT INTO note VALUES ('w');",
    },
  })
  await wrangler.run(["d1", "create", "of-wrangler", "--location", "weur"])
  const [listed] = await Array.fromAsync(d1.database.list({ account_id, name: "of-wrangler" }))
  const database_id = listed?.uuid ?? ""
  const script_name = "of-wrangler"
  await wrangler.configure({
    name: script_name,
    main: "worker.js",
    compatibility_date: "2026-08-01",
    d1_databases: [{ binding: "DB", database_name: "of-wrangler", database_id }],
    version_metadata: { binding: "VERSION" },
    observability: { enabled: true, head_sampling_rate: 0.25 },
    workers_dev: false,
    routes: [
      { pattern: "wrangler.accounts.test", custom_domain: true },
      { pattern: "accounts.test/wrangler/*", zone_name: "accounts.test" },
    ],
    triggers: { crons: ["0 5 * * *"] },
  })
  await wrangler.run(["d1", "migrations", "apply", "of-wrangler", "--remote"])
  const { result } = await d1.database.query(database_id, {
    account_id,
    sql: "SELECT text FROM note; SELECT name FROM d1_migrations",
  })
  expect(result).toMatchObject([
    { results: [{ text: "w" }] },
    { results: [{ name: "0000_first.sql" }] },
  ])

  await wrangler.run(["deploy", "--tag", "one"])
  await wrangler.run(["secret", "put", "GREETING"], "hello")
  const worker = await workers.beta.workers.get(script_name, { account_id })
  expect(worker).toMatchObject({
    name: script_name,
    observability: { enabled: true, head_sampling_rate: 0.25 },
    subdomain: { enabled: false },
    references: { domains: [{ hostname: "wrangler.accounts.test" }] },
  })
  const versions = await Array.fromAsync(
    workers.beta.workers.versions.list(worker.id, { account_id }),
  )
  expect(versions).toMatchObject([
    { number: 2, source: "wrangler" },
    { number: 1, annotations: { "workers/tag": "one" } },
  ])
  expect(versions[0]?.bindings).toMatchObject([
    { name: "DB", database_id },
    { name: "GREETING", type: "secret_text" },
    { name: "VERSION" },
  ])
  const { id } = JSON.parse(await wrangler.run(["deployments", "status", "--json"]))
  expect(await workers.scripts.deployments.get(id, { account_id, script_name })).toMatchObject({
    source: "wrangler",
    versions: [{ version_id: versions[0]?.id, percentage: 100 }],
  })
  const secrets = workers.scripts.secrets.list(script_name, { account_id })
  expect(await Array.fromAsync(secrets)).toEqual([{ name: "GREETING", type: "secret_text" }])
  expect(await workers.scripts.schedules.get(script_name, { account_id })).toMatchObject({
    schedules: [{ cron: "0 5 * * *" }],
  })
  expect(await Array.fromAsync(workers.routes.list({ zone_id }))).toMatchObject([
    { pattern: "accounts.test/wrangler/*", script: script_name },
  ])

  await wrangler.run(["delete", "--force"])
  await wrangler.run(["d1", "delete", "of-wrangler", "-y"])
  expect(await Array.fromAsync(d1.database.list({ account_id }))).toEqual([])
  expect(await Array.fromAsync(workers.beta.workers.list({ account_id }))).toEqual([])
  expect(await Array.fromAsync(workers.domains.list({ account_id }))).toEqual([])
  expect(await Array.fromAsync(workers.routes.list({ zone_id }))).toEqual([])
})
