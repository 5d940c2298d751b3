import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker } from "../cloudflare/testing/worker.ts"
import { createHostResolver } from "./dns-record.ts"

const zone_id = "7a6f6e656163636f756e747300000001"

test("DNS records are created, listed and deleted, and never contradict each other", async () => {
  await using cloudflare = await localCloudflare()
  const { records } = (await cloudflare.client()).dns
  const list = async () => {
    const all = await Array.fromAsync(records.list({ zone_id, order: "name" }))
    return all.map(({ name, type }) => `${name} ${type}`)
  }
  expect(await list()).toEqual(["*.accounts.test AAAA", "accounts.test AAAA"])

  const www = { zone_id, name: "www", type: "A" as const, content: "192.0.2.1", ttl: 300 as const }
  const record = await records.create({ ...www, comment: "a website" })
  expect(record).toMatchObject({
    name: "www.accounts.test",
    ttl: 300,
    proxied: false,
    proxiable: true,
    comment: "a website",
    tags: [],
    meta: {},
    settings: {},
  })
  await expect(records.create(www)).rejects.toThrow("81058")
  const alias = { ...www, type: "CNAME" as const, content: "elsewhere.test" }
  await expect(records.create(alias)).rejects.toThrow("81053")
  await expect(records.create({ ...www, content: "nowhere" })).rejects.toThrow(/^400 .*content/)
  await records.create({ ...www, content: "192.0.2.2" })
  const mail = { ...www, type: "MX" as const, content: "mail.test", priority: 10 }
  await expect(records.create({ ...mail, proxied: true })).rejects.toThrow("cannot be proxied")
  await records.create(mail)

  expect(await list()).toEqual([
    "*.accounts.test AAAA",
    "accounts.test AAAA",
    "www.accounts.test A",
    "www.accounts.test A",
    "www.accounts.test MX",
  ])
  expect(await records.delete(record.id, { zone_id })).toEqual({ id: record.id })
  await expect(records.delete(record.id, { zone_id })).rejects.toThrow(/^404 .*81044/)
})

test("the record of a custom domain is read only and goes with the domain", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  await createWorker(client, account_id, "hosted")
  const hostname = "hosted.accounts.test"
  const domain = await client.workers.domains.update({ account_id, hostname, service: "hosted" })
  const list = () =>
    Array.fromAsync(client.dns.records.list({ zone_id, name: { exact: hostname } }))
  const [record] = await list()
  expect(record).toMatchObject({ type: "AAAA", content: "100::", proxied: true })
  const id = record?.id ?? ""
  await expect(client.dns.records.delete(id, { zone_id })).rejects.toThrow(/read only.*'hosted'/)
  await client.workers.domains.delete(domain.id, { account_id })
  expect(await list()).toEqual([])
})

test("a host resolves by its own records, else by the nearest wildcard above it", () => {
  const resolve = createHostResolver([
    { name: "zone.test", type: "TXT", proxied: false },
    { name: "*.zone.test", type: "AAAA", proxied: true },
    { name: "plain.zone.test", type: "A", proxied: false },
    { name: "deep.below.zone.test", type: "CNAME", proxied: true },
  ])
  const hosts = {
    "zone.test": "none",
    "any.zone.test": "proxied",
    "far.any.zone.test": "proxied",
    "plain.zone.test": "dns-only",
    "x.plain.zone.test": "none",
    "deep.below.zone.test": "proxied",
    "below.zone.test": "none",
    "other.below.zone.test": "none",
    "elsewhere.test": "none",
  }
  for (const [host, expected] of Object.entries(hosts)) {
    expect([host, resolve(host)]).toEqual([host, expected])
  }
})
