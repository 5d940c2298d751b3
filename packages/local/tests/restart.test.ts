import { readFile, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { localCloudflare, localCloudflareProcess } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker, deployVersion, source, uploadVersion } from "../cloudflare/testing/worker.ts"

test("kill -9 loses nothing that was answered", async () => {
  await using cloudflare = await localCloudflareProcess()
  const { accountId: account_id } = cloudflare
  const before = await cloudflare.client()
  const { uuid = "" } = await before.d1.database.create({ account_id, name: "kept" })
  const worker = await createWorker(before, account_id, "kept")
  await before.d1.database.query(uuid, {
    account_id,
    sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('kept')",
  })
  const version = await uploadVersion(before, {
    workerId: worker.id,
    accountId: account_id,
    bindings: [
      { type: "d1", name: "DB", database_id: uuid },
      { type: "secret_text", name: "GREETING", text: "secret kept" },
    ],
  })
  await deployVersion(before, { accountId: account_id, script: "kept", versionId: version.id })
  await before.workers.domains.update({
    account_id,
    hostname: "kept.accounts.test",
    service: "kept",
  })

  await cloudflare.restart("SIGKILL")
  const ask = (path: string) => askEdge(cloudflare.edge, "kept.accounts.test", path)
  expect(await ask("/")).toMatchObject({ status: 200, greeting: "secret kept", text: version.id })
  expect(JSON.parse((await ask("/rows")).text)).toEqual([{ text: "kept" }])
  const after = await cloudflare.client()
  expect(await after.workers.beta.workers.get("kept", { account_id })).toMatchObject({
    id: worker.id,
  })
  const blobs = join(cloudflare.directory, "cloudflare", "blobs")
  expect(await readdir(blobs)).toHaveLength(1)
  await after.workers.beta.workers.delete(worker.id, { account_id })
  await cloudflare.restart("SIGTERM")
  expect(await readdir(blobs)).toEqual([])
})

test("a live version that no longer starts is reported and does not stop the others", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  for (const name of ["healthy", "broken"]) {
    const { id: workerId } = await createWorker(client, accountId, name)
    const code = `${source} // ${name}`
    const { id: versionId } = await uploadVersion(client, { workerId, accountId, code })
    await deployVersion(client, { accountId, script: name, versionId })
    const hostname = `${name}.accounts.test`
    await client.workers.domains.update({ account_id: accountId, hostname, service: name })
  }
  const blobs = join(cloudflare.directory, "cloudflare", "blobs")
  for (const blob of await readdir(blobs)) {
    const file = join(blobs, blob)
    if ((await readFile(file, "utf8")).includes("broken")) await writeFile(file, "export default {")
  }

  await cloudflare.restart()
  expect((await askEdge(cloudflare.edge, "healthy.accounts.test", "/")).status).toBe(200)
  expect((await askEdge(cloudflare.edge, "broken.accounts.test", "/")).status).toBeGreaterThan(499)
  const status = await cloudflare.request("/../../local/status")
  expect(await status.json()).toMatchObject({
    failed: [{ script: "broken", message: expect.stringContaining("SyntaxError") }],
  })
})
