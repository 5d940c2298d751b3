import { expect, test } from "vitest"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { source } from "../cloudflare/testing/worker.ts"
import { wranglerProject } from "../cloudflare/testing/wrangler.ts"

test(
  "wrangler deploys, lists, changes secrets, splits and rolls back",
  { timeout: 400_000 },
  async () => {
    await using cloudflare = await localCloudflare()
    const client = await cloudflare.client()
    const database = await client.d1.database.create({
      account_id: cloudflare.accountId,
      name: "second-client",
    })
    await using wrangler = await wranglerProject({
      cloudflare,
      config: {
        name: "second-client",
        main: "worker.js",
        compatibility_date: "2026-08-01",
        d1_databases: [
          { binding: "DB", database_name: "second-client", database_id: database.uuid },
        ],
        version_metadata: { binding: "VERSION" },
        workers_dev: false,
        routes: [
          { pattern: "wrangler.accounts.test", custom_domain: true },
          { pattern: "*.accounts.test/wrangled*", zone_name: "accounts.test" },
        ],
        triggers: { crons: ["*/5 * * * *"] },
      },
      files: { "worker.js": source },
    })
    const ask = (path = "/") => askEdge(cloudflare.edge, "wrangler.accounts.test", path)

    const first = await wrangler.run(["deploy"])
    expect(first).toContain("wrangler.accounts.test (custom domain)")
    const firstVersion = (await ask()).text
    expect(first).toContain(`Current Version ID: ${firstVersion}`)
    expect((await askEdge(cloudflare.edge, "x.accounts.test", "/wrangled")).text).toBe(firstVersion)

    const second = await wrangler.run(["deploy", "--message", "again", "--tag", "v2"])
    const secondVersion = (await ask()).text
    expect(second).toContain(`Current Version ID: ${secondVersion}`)
    expect(secondVersion).not.toBe(firstVersion)

    await wrangler.run(["secret", "put", "GREETING"], "from wrangler")
    expect(await ask()).toMatchObject({ greeting: "from wrangler" })
    expect(JSON.parse(await wrangler.run(["secret", "list"]))).toEqual([
      { name: "GREETING", type: "secret_text" },
    ])
    await wrangler.run(["deploy"])
    expect(await ask()).toMatchObject({ greeting: "from wrangler" })
    const latest = (await ask()).text

    expect(await wrangler.run(["deployments", "status"])).toContain(latest)
    const versions = await wrangler.run(["versions", "list"])
    expect(versions).toContain(firstVersion)
    expect(versions).toContain(latest)
    const viewed = await wrangler.run(["versions", "view", secondVersion])
    expect(viewed).toContain(database.uuid)
    expect(viewed).not.toContain("in bulk")

    await wrangler.run(["versions", "upload"])
    expect((await ask()).text).toBe(latest)
    await wrangler.run(["versions", "deploy", `${firstVersion}@0%`, `${latest}@100%`, "-y"])
    expect((await ask()).text).toBe(latest)
    // Confirms by itself, without a terminal, that a secret has changed, and asks again with `force`.
    const rollback = await wrangler.run(["rollback", firstVersion, "-y"])
    expect(rollback).toMatch(/secrets have changed since version [^*]+\* GREETING/)
    expect((await ask()).text).toBe(firstVersion)
    await wrangler.run(["delete"])
    expect((await ask()).status).toBe(404)
  },
)

test("wrangler runs its D1 commands and migrations", { timeout: 400_000 }, async () => {
  await using cloudflare = await localCloudflare()
  await using wrangler = await wranglerProject({
    cloudflare,
    config: { name: "d1" },
    files: {
      "extra.sql": "-- imported\nINSERT INTO note VALUES ('from; a file');",
      "migrations/0000_first.sql":
        "CREATE TABLE note (text TEXT);\nINSERT INTO note VALUES ('a;b');",
      "migrations/0001_broken.sql":
        "INSERT INTO note VALUES ('gone');\nINSERT INTO nowhere VALUES (1);",
    },
  })
  await wrangler.run(["d1", "create", "ledger"])
  const [listed] = JSON.parse(await wrangler.run(["d1", "list", "--json"]))
  expect(listed).toMatchObject({ name: "ledger" })
  await wrangler.configure({
    name: "d1",
    d1_databases: [{ binding: "DB", database_name: "ledger", database_id: listed.uuid }],
  })
  const remote = ["ledger", "--remote"]
  const execute = async (sql: string) =>
    JSON.parse(await wrangler.run(["d1", "execute", ...remote, "--json", "--command", sql]))

  expect(await wrangler.run(["d1", "migrations", "list", ...remote])).toContain("0000_first.sql")
  await expect(wrangler.run(["d1", "migrations", "apply", ...remote])).rejects.toThrow(
    "no such table: nowhere: SQLITE_ERROR",
  )
  expect(await execute("SELECT text FROM note; SELECT name FROM d1_migrations")).toMatchObject([
    { results: [{ text: "a;b" }] },
    { results: [{ name: "0000_first.sql" }] },
  ])
  const pending = await wrangler.run(["d1", "migrations", "list", ...remote])
  expect(pending).not.toContain("0000_first.sql")
  expect(pending).toContain("0001_broken.sql")

  await wrangler.run(["d1", "execute", ...remote, "-y", "--file", "extra.sql"])
  await wrangler.run(["d1", "export", ...remote, "--output", "dump.sql"])
  const dump = await wrangler.read("dump.sql")
  expect(dump).toContain("from; a file")
  expect(dump).toContain("d1_migrations")
  const travel = JSON.parse(await wrangler.run(["d1", "time-travel", "info", "ledger", "--json"]))
  await execute("DELETE FROM note")
  await wrangler.run([
    "d1",
    "time-travel",
    "restore",
    "ledger",
    "--bookmark",
    travel.bookmark,
    "--json",
  ])
  expect(await execute("SELECT text FROM note")).toMatchObject([
    { results: [{ text: "a;b" }, { text: "from; a file" }] },
  ])
  await wrangler.run(["d1", "delete", "ledger", "-y"])
  expect(JSON.parse(await wrangler.run(["d1", "list", "--json"]))).toEqual([])
})
