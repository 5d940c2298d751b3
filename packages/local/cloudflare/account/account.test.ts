import { expect, test } from "vitest"

import { localCloudflare } from "../testing/local-cloudflare.ts"
import { createWorker, deployVersion, source, uploadVersion } from "../testing/worker.ts"

test("a client finds its account, its user and its token", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const account = { id: account_id, name: "Accounts local" }

  expect(await Array.fromAsync(client.accounts.list())).toMatchObject([account])
  expect(await Array.fromAsync(client.accounts.list({ name: "another" }))).toEqual([])
  expect(await client.accounts.get({ account_id })).toMatchObject(account)
  expect(await Array.fromAsync(client.memberships.list())).toMatchObject([
    { status: "accepted", account },
  ])
  expect(await client.user.get()).toMatchObject({ id: expect.any(String) })
  expect(await client.user.tokens.verify()).toMatchObject({ status: "active" })

  const { subdomain } = await client.workers.subdomains.get({ account_id })
  expect(subdomain).toBe("accounts-local")
  expect(await client.workers.subdomains.update({ account_id, subdomain })).toEqual({ subdomain })
  await expect(
    client.workers.subdomains.update({ account_id, subdomain: "another" }),
  ).rejects.toThrow("already has an associated subdomain")
})

test("a script is listed, read back, switched on and off under workers.dev, and deleted", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const options = { account_id: accountId }
  const client = await cloudflare.client()
  const { scripts, beta } = client.workers
  const worker = await createWorker(client, accountId, "read-back")
  const binding = { type: "secret_text" as const, name: "KEY", text: "a secret" }
  const version = await uploadVersion(client, {
    accountId,
    workerId: worker.id,
    bindings: [binding],
  })
  await deployVersion(client, { accountId, script: "read-back", versionId: version.id })

  const listed = await Array.fromAsync(scripts.list(options))
  expect(listed.map(({ id }) => id)).toEqual(["read-back"])
  const content = await scripts.content.get("read-back", options)
  expect(await content.text()).toContain(source)
  const secret = { ...options, script_name: "read-back" }
  expect(await scripts.secrets.get("KEY", secret)).toEqual({ name: "KEY", type: "secret_text" })
  await scripts.secrets.delete("KEY", secret)
  await expect(scripts.secrets.get("KEY", secret)).rejects.toThrow("10056")

  const on = { enabled: true, previews_enabled: true }
  expect(await scripts.subdomain.create("read-back", { ...options, ...on })).toEqual(on)
  expect(await scripts.subdomain.get("read-back", options)).toEqual(on)
  await scripts.subdomain.delete("read-back", options)
  expect(await scripts.subdomain.get("read-back", options)).toEqual({
    enabled: false,
    previews_enabled: false,
  })

  const whole = { ...options, name: "read-back", tags: ["whole"] }
  expect(await beta.workers.update(worker.id, whole)).toMatchObject({ tags: ["whole"] })
  const patch = JSON.stringify({ tags: ["part"] })
  const path = `/accounts/${accountId}/workers/workers/${worker.id}`
  const patched = await cloudflare.request(path, { method: "PATCH", body: patch })
  expect(await patched.json()).toMatchObject({ result: { name: "read-back", tags: ["part"] } })
  await expect(
    beta.workers.versions.delete(version.id, { ...options, worker_id: worker.id }),
  ).rejects.toThrow("Versions stay until their Worker is deleted")

  const consumed = { ...options, name: "consumed", tail_consumers: [{ name: "read-back" }] }
  await beta.workers.create(consumed)
  const producers = `/accounts/${accountId}/workers/tails/by-consumer/read-back`
  expect(await (await cloudflare.request(producers)).json()).toMatchObject({
    result: [{ producer: { service: "consumed" } }],
  })
  await scripts.delete("read-back", options)
  await expect(beta.workers.get(worker.id, options)).rejects.toThrow("10007")
})
