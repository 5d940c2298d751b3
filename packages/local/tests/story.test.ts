import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker, deployVersion, uploadVersion } from "../cloudflare/testing/worker.ts"

test("a database, a Worker, a version, a deployment and a hostname serve requests at the edge", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()

  const database = await client.d1.database.create({ account_id: accountId, name: "story" })
  const databaseId = database.uuid ?? ""
  await client.d1.database.query(databaseId, {
    account_id: accountId,
    sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO note (text) VALUES ('first')",
  })

  const worker = await createWorker(client, accountId, "story")
  const version = await uploadVersion(client, {
    workerId: worker.id,
    accountId,
    bindings: [
      { type: "d1", name: "DB", database_id: databaseId },
      { type: "secret_text", name: "GREETING", text: "hello" },
    ],
  })
  await deployVersion(client, { accountId, script: "story", versionId: version.id })
  const { zone_id } = await client.workers.domains.update({
    account_id: accountId,
    hostname: "story.accounts.test",
    service: "story",
  })

  const answer = await askEdge(cloudflare.edge, "story.accounts.test", "/")
  expect(answer).toMatchObject({ status: 200, greeting: "hello", text: version.id })
  const ca = await readFile(join(cloudflare.directory, "cloudflare/authority/ca.pem"))
  const secure = await askEdge(cloudflare.edgeTls, "story.accounts.test", "/", ca)
  expect(secure).toMatchObject({ status: 200, text: version.id })
  const rows = await askEdge(cloudflare.edge, "story.accounts.test", "/rows")
  expect(JSON.parse(rows.text)).toEqual([{ id: 1, text: "first" }])
  expect((await askEdge(cloudflare.edge, "other.accounts.test", "/")).status).toBe(404)

  const route = await client.workers.routes.create({
    zone_id,
    pattern: "*.accounts.test/routed*",
    script: "story",
  })
  expect((await askEdge(cloudflare.edge, "other.accounts.test", "/routed")).text).toBe(version.id)
  await client.workers.routes.delete(route.id, { zone_id })
  expect((await askEdge(cloudflare.edge, "other.accounts.test", "/routed")).status).toBe(404)

  await client.workers.beta.workers.delete(worker.id, { account_id: accountId })
  expect((await askEdge(cloudflare.edge, "story.accounts.test", "/")).status).toBe(404)
  expect((await client.workers.domains.list({ account_id: accountId })).result).toEqual([])
})
