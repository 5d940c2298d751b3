import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { askEdge } from "../testing/ask-edge.ts"
import { localCloudflare, type LocalCloudflare } from "../testing/local-cloudflare.ts"
import { createWorker, deployVersion, uploadVersion } from "../testing/worker.ts"

type Local = Pick<LocalCloudflare, "accountId" | "api" | "client" | "local">

const Link = z.object({ url: z.url(), expiresAt: z.iso.datetime() })
const Key = z.object({ key: z.string() })

/** Signs in like the page does when it is opened with a link. */
async function enter(cloudflare: Local, code: string) {
  const body = JSON.stringify({ code })
  return fetch(new URL("/local/console/session", cloudflare.api), { method: "POST", body })
}

async function signIn(cloudflare: Local) {
  const { url } = Link.parse(await cloudflare.local("/local/console/link", undefined, "POST"))
  const code = new URLSearchParams(new URL(url).hash.slice(1)).get("sign-in") ?? ""
  const { key } = Key.parse(await (await enter(cloudflare, code)).json())
  const authorization = `Bearer ${key}`
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, cloudflare.api), { ...init, headers: { authorization } })
  return { url, code, key, ask, read: async (path: string) => (await ask(path)).json() }
}

async function database(cloudflare: Local, name: string, sql: string) {
  const client = await cloudflare.client()
  const made = await client.d1.database.create({ account_id: cloudflare.accountId, name })
  const id = made.uuid ?? ""
  await client.d1.database.query(id, { account_id: cloudflare.accountId, sql })
  return id
}

test("a sign-in link lets one browser read the project's own routes, and nothing else", async () => {
  await using cloudflare = await localCloudflare()
  const visitor = await signIn(cloudflare)
  expect(new URL(visitor.url).origin).toBe(new URL(cloudflare.api).origin)
  expect(await visitor.read("/local/status")).toMatchObject({ pid: cloudflare.pid })
  expect((await visitor.ask("/local/log")).status).toBe(200)

  expect((await enter(cloudflare, visitor.code)).status).toBe(403)
  expect((await enter(cloudflare, cloudflare.token)).status).toBe(403)
  for (const path of [
    "/client/v4/accounts",
    `/client/v4/accounts/${cloudflare.accountId}/d1/database`,
  ]) {
    expect([path, (await visitor.ask(path)).status]).toEqual([path, 403])
  }
  for (const path of ["/local/cron", "/local/console/link"]) {
    expect([path, (await visitor.ask(path, { method: "POST" })).status]).toEqual([path, 403])
  }

  const log = await readFile(join(cloudflare.directory, "cloudflare/log.ndjson"), "utf8")
  for (const hidden of [visitor.code, visitor.key]) expect(log).not.toContain(hidden)

  expect((await visitor.ask("/local/console/session", { method: "DELETE" })).status).toBe(204)
  expect((await visitor.ask("/local/status")).status).toBe(403)
  const other = await signIn(cloudflare)
  await cloudflare.restart()
  expect((await other.ask("/local/status")).status).toBe(403)
})

test("other origins and rebound names get neither the page's data nor a session", async () => {
  await using cloudflare = await localCloudflare()
  const visitor = await signIn(cloudflare)
  const paths = ["/", "/local/status", "/local/events", "/local/console/workers"]
  for (const path of paths) {
    for (const origin of [
      "http://127.0.0.1:1",
      "http://localhost:3000",
      "https://evil.test",
      "null",
    ]) {
      const answer = await fetch(new URL(path, cloudflare.api), {
        headers: { authorization: `Bearer ${visitor.key}`, origin },
      })
      expect([path, origin, answer.status]).toEqual([path, origin, 403])
    }
    const { host } = new URL(cloudflare.api)
    const rebound = await askEdge(
      new URL("/", cloudflare.api).origin,
      host.replace("127.0.0.1", "evil.test"),
      path,
    )
    expect([path, rebound.status]).toEqual([path, 403])
  }
  const page = await fetch(new URL("/", cloudflare.api))
  expect(page.headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  )
  expect(page.headers.get("cross-origin-resource-policy")).toBe("same-origin")
  expect(page.headers.get("set-cookie")).toBeNull()
  for (const path of [
    "/console/../guard.ts",
    "/console/%2e%2e/guard.ts",
    "/console/tsconfig.json",
  ]) {
    expect([path, (await fetch(new URL(path, cloudflare.api))).status]).toEqual([path, 400])
  }
})

test("rows are listed in pages, newest first, without the tables of SQLite and workerd", async () => {
  await using cloudflare = await localCloudflare()
  const many = Array.from({ length: 120 }, (_, index) => `(${index + 1}, 'note ${index + 1}')`)
  const id = await database(
    cloudflare,
    "rows",
    `CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
     INSERT INTO note VALUES ${many.join(", ")};
     CREATE TABLE "odd ""name"" /x" ("a ""b""" TEXT, big INTEGER, data BLOB, long TEXT);
     INSERT INTO "odd ""name"" /x" VALUES (NULL, 9007199254740993, x'0102', '${"é".repeat(3000)}');
     CREATE TABLE pair (a TEXT, b TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID;
     INSERT INTO pair VALUES ('x', '2'), ('y', '1');
     CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;`,
  )
  const { read, ask } = await signIn(cloudflare)
  const tables = `/local/console/databases/${id}/tables`
  expect(await read(tables)).toMatchObject({
    name: "rows",
    bytes: expect.any(Number),
    tables: [
      { name: "endless", type: "view", rows: null },
      {
        name: "note",
        type: "table",
        rows: 120,
        columns: [{ name: "id", pk: 1 }, { notnull: true }],
      },
      { name: 'odd "name" /x', rows: 1 },
      { name: "pair", rows: 2 },
    ],
  })

  expect(await read(`${tables}/note/rows?page=3&per_page=50`)).toMatchObject({
    total: 120,
    page: 3,
    rows: Array.from({ length: 20 }, (_, index) => [20 - index, `note ${20 - index}`]),
  })
  expect(await read(`${tables}/note/rows?page=4&per_page=50`)).toMatchObject({ rows: [] })
  expect(await read(`${tables}/${encodeURIComponent('odd "name" /x')}/rows`)).toMatchObject({
    columns: [{ name: 'a "b"' }, { name: "big" }, { name: "data" }, { name: "long" }],
    rows: [
      [
        null,
        { integer: "9007199254740993" },
        { bytes: 2 },
        { text: "é".repeat(2000), characters: 3000 },
      ],
    ],
  })
  expect(await read(`${tables}/pair/rows`)).toMatchObject({
    rows: [
      ["y", "1"],
      ["x", "2"],
    ],
  })
  for (const name of [
    "endless",
    "sqlite_master",
    "_cf_METADATA",
    "nope",
    'note"; DROP TABLE note; --',
  ]) {
    expect([name, (await ask(`${tables}/${encodeURIComponent(name)}/rows`)).status]).toEqual([
      name,
      404,
    ])
  }
  for (const wrong of ["page=0", "per_page=201", "sql=x"]) {
    expect([wrong, (await ask(`${tables}/note/rows?${wrong}`)).status]).toEqual([wrong, 400])
  }
})

test("Workers are listed with their versions and traffic, and secrets by name only", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const secret = randomBytes(16).toString("hex")
  const databaseId = await database(cloudflare, "bound", "CREATE TABLE a (b)")
  const worker = await createWorker(client, accountId, "shown")
  const first = await uploadVersion(client, { workerId: worker.id, accountId })
  const second = await uploadVersion(client, {
    workerId: worker.id,
    accountId,
    bindings: [
      { type: "secret_text", name: "KEY", text: secret },
      { type: "plain_text", name: "GREETING", text: "hello" },
      { type: "d1", name: "DB", database_id: databaseId },
    ],
  })
  await deployVersion(client, { accountId, script: "shown", versionId: first.id })
  await client.workers.scripts.deployments.create("shown", {
    account_id: accountId,
    strategy: "percentage",
    versions: [
      { version_id: first.id, percentage: 90 },
      { version_id: second.id, percentage: 10 },
    ],
  })
  await client.workers.domains.update({
    account_id: accountId,
    hostname: "shown.accounts.test",
    service: "shown",
  })
  await client.workers.scripts.schedules.update("shown", {
    account_id: accountId,
    body: [{ cron: "0 0 1 1 *" }],
  })

  const { ask } = await signIn(cloudflare)
  const text = await (await ask("/local/console/workers")).text()
  expect(text).not.toContain(secret)
  expect(JSON.parse(text)).toMatchObject({
    workers: [
      {
        name: "shown",
        hostnames: ["shown.accounts.test"],
        crons: ["0 0 1 1 *"],
        versions: [
          {
            id: second.id,
            number: 2,
            percentage: 10,
            running: true,
            bindings: [
              { name: "KEY", type: "secret_text", value: null },
              { name: "GREETING", type: "plain_text", value: "hello" },
              { name: "DB", type: "d1", value: "bound" },
              { name: "VERSION", type: "version_metadata", value: null },
            ],
          },
          { id: first.id, number: 1, percentage: 90, running: true },
        ],
        deployments: [
          {
            versions: [
              { id: first.id, percentage: 90 },
              { id: second.id, percentage: 10 },
            ],
          },
          { versions: [{ id: first.id, percentage: 100 }] },
        ],
      },
    ],
  })
})
