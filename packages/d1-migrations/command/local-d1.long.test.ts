import { spawnSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

const wrangler = createRequire(import.meta.url).resolve("wrangler")
const modules = wrangler.slice(0, wrangler.lastIndexOf("/wrangler/wrangler-dist/"))

const settings = {
  name: "shop",
  compatibility_date: "2026-01-01",
  // Would ask Cloudflare, if it were started.
  ai: { binding: "AI" },
  d1_databases: [{ binding: "DB", database_name: "shop", database_id: "d1" }],
}

/** As Prisma writes them. */
const files = {
  "0001_shop.sql": `CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE purchase (id TEXT PRIMARY KEY, customer_id TEXT NOT NULL,
  FOREIGN KEY (customer_id) REFERENCES customer (id) ON DELETE CASCADE ON UPDATE CASCADE);`,
  "0002_named.sql": `PRAGMA foreign_keys=OFF;
CREATE TABLE new_customer (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '');
INSERT INTO new_customer (id, name) SELECT id, coalesce(name, '') FROM customer;
DROP TABLE customer;
ALTER TABLE new_customer RENAME TO customer;`,
}

async function project() {
  const directory = await temporaryDirectory()
  const write = (name: string, text: string) => writeFileSync(join(directory.path, name), text)
  mkdirSync(join(directory.path, "migrations"))
  symlinkSync(modules, join(directory.path, "node_modules"))
  write("wrangler.json", JSON.stringify(settings))
  const start = (program: string, args: string[]) => {
    const { PATH } = process.env
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: directory.path,
      env: { PATH, HOME: directory.path, NO_COLOR: "1", WRANGLER_SEND_METRICS: "false" },
      encoding: "utf8",
    })
    return { code: status, stdout, stderr }
  }
  const mainArguments = [join(import.meta.dirname, "main.ts")]
  const ofWrangler = [join(dirname(wrangler), "../bin/wrangler.js"), "d1", "execute", "shop"]
  return {
    write,
    run: (...args: string[]) =>
      start(process.execPath, ["--no-warnings", ...mainArguments, ...args]),
    execute: (sql: string) =>
      start(process.execPath, [...ofWrangler, "--local", "--json", "--command", sql]),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

test("--local applies to the database that wrangler has on this machine, and keeps what follows a key", async () => {
  await using shop = await project()
  shop.write("migrations/0001_shop.sql", files["0001_shop.sql"])
  const first = shop.run("apply", "--local", "--json")
  expect(first).toMatchObject({ code: 0, stdout: '{"applied":["0001_shop.sql"]}\n' })
  const rows = `INSERT INTO customer VALUES ('c1', 'Ada'), ('c2', NULL);
INSERT INTO purchase VALUES ('p1', 'c1'), ('p2', 'c2'), ('p3', 'c1');`
  expect(shop.execute(rows)).toMatchObject({ code: 0 })

  shop.write("migrations/0002_named.sql", files["0002_named.sql"])
  const refused = shop.run("apply", "--local")
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("rows of purchase are deleted"),
  })
  expect(shop.run("fix", "migrations/0002_named.sql").code).toBe(0)
  expect(shop.run("apply", "--local")).toMatchObject({ code: 0 })
  expect(shop.run("status", "--local")).toMatchObject({ code: 0 })
  const read =
    "SELECT group_concat(purchase.id || customer.id || name) AS text FROM purchase JOIN customer ON customer_id = customer.id"
  expect(shop.execute(read).stdout).toContain('"text": "p1c1Ada,p2c2,p3c1Ada"')
}, 600_000)

test("--local without settings or wrangler, or beside a database of Cloudflare's, is wrong usage", async () => {
  await using shop = await project()
  shop.write("migrations/0001_shop.sql", files["0001_shop.sql"])
  expect(shop.run("apply", "--local", "--database-id", "d1")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("'--local' cannot be used with option '--database-id"),
  })
  await using elsewhere = await temporaryDirectory()
  const config = join(elsewhere.path, "wrangler.json")
  writeFileSync(config, JSON.stringify(settings))
  mkdirSync(join(elsewhere.path, "migrations"))
  writeFileSync(join(elsewhere.path, "migrations/0001_shop.sql"), files["0001_shop.sql"])
  expect(shop.run("apply", "--local", "--config", config)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("npm install --save-dev wrangler"),
  })
})
