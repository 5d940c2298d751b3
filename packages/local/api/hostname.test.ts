import { expect, test } from "vitest"

import { openTestAccount } from "../cloudflare/testing/test-account.ts"
import { createHostResolver } from "./dns-record.ts"

const { account_id, client, cloudflare, createWorker, send } = await openTestAccount()

const zone_id = "7a6f6e656163636f756e747300000001"

test("DNS records are created, listed and deleted, and never contradict each other", async () => {
  const { records } = (await cloudflare.client()).dns
  const list = async () => {
    const allRecords = await Array.fromAsync(records.list({ zone_id, order: "name" }))
    return allRecords.map(({ name, type }) => `${name} ${type}`)
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

test("the record of a custom domain is read-only and is deleted with the domain", async () => {
  await createWorker("hosted")
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

test("hostnames and routes belong to one Worker and to one of the account's zones", async () => {
  for (const name of ["mine", "yours"]) await createWorker(name)
  const attach = (hostname: string, service: string) =>
    client.workers.domains.update({ account_id, hostname, service })

  const domain = await attach("host.accounts.test", "mine")
  expect(await attach("host.accounts.test", "mine")).toEqual(domain)
  expect(await client.workers.domains.get(domain.id, { account_id })).toEqual(domain)
  await expect(attach("host.accounts.test", "yours")).rejects.toThrow(
    /^409 .*100116.*already in use by other custom domain.*'override_existing_origin'/,
  )
  await expect(attach("host.elsewhere.test", "mine")).rejects.toThrow("is not in the zone")
  await expect(attach("other.accounts.test", "missing")).rejects.toThrow("10007")
  const takenDomain = {
    hostname: "host.accounts.test",
    service: "yours",
    override_existing_origin: true,
  }
  expect(await send("PUT", "/workers/domains", takenDomain)).toMatchObject([
    200,
    { result: { id: domain.id, service: "yours" } },
  ])
  await client.workers.domains.delete(domain.id, { account_id })
  await expect(client.workers.domains.get(domain.id, { account_id })).rejects.toThrow("100114")

  const pattern = "*.accounts.test/api/*"
  const route = await client.workers.routes.create({ zone_id, pattern, script: "mine" })
  await expect(client.workers.routes.create({ zone_id, pattern, script: "yours" })).rejects.toThrow(
    /10020.*'mine'/,
  )
  await expect(
    client.workers.routes.create({ zone_id, pattern: "elsewhere.test/*", script: "mine" }),
  ).rejects.toThrow("10022")
  await client.workers.routes.update(route.id, { zone_id, pattern, script: "yours" })
  expect(await client.workers.routes.get(route.id, { zone_id })).toMatchObject({ script: "yours" })
})

test("a custom domain is refused where other DNS records are, unless it overrides them", async () => {
  await createWorker("wanting")
  const hostname = "taken.accounts.test"
  const record = { zone_id, name: hostname, type: "A", content: "192.0.2.1", ttl: 1 } as const
  await client.dns.records.create(record)
  await client.dns.records.create({ ...record, type: "TXT", content: '"kept"' })
  const attach = (overrides: object = {}) =>
    send("PUT", "/workers/domains", { hostname, service: "wanting", ...overrides })
  const records = async () => {
    const allDomains = await Array.fromAsync(
      client.dns.records.list({ zone_id, name: { exact: hostname } }),
    )
    return allDomains.map(({ type, content, meta }) => ({ type, content, meta }))
  }

  const message = expect.stringContaining(
    `'${hostname}' already has externally managed DNS records`,
  )
  expect(await attach()).toMatchObject([409, { errors: [{ code: 100_117, message }] }])
  expect(await records()).toHaveLength(2)

  expect(await attach({ override_existing_dns_record: true })).toMatchObject([200, {}])
  const managed = {
    type: "AAAA",
    content: "100::",
    meta: { origin_worker_id: "wanting", read_only: true },
  }
  expect(await records()).toEqual([managed, { type: "TXT", content: '"kept"', meta: {} }])
  await expect(client.dns.records.create(record)).rejects.toThrow("81062")

  await client.workers.beta.workers.delete("wanting", { account_id })
  expect(await records()).toEqual([{ type: "TXT", content: '"kept"', meta: {} }])
  await client.dns.records.create(record)
})
