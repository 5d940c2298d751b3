import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { wranglerProject } from "../cloudflare/testing/wrangler.ts"

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
