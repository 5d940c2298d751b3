import { Resolver } from "node:dns/promises"
import { createServer } from "node:tls"

import { expect, test } from "vitest"

import { type Failing, type Records, startNameServer } from "../testing/name-server.ts"
import { requestService } from "./service-request.ts"
import { openZoneResolver } from "./zone-resolver.ts"

const host = "api.accounts.test"
const zone = "accounts.test"

/** What everybody's resolver knows: the zone's name server is on this machine. */
function publicRecords(): Records {
  return new Map([
    [`NS ${zone}`, [{ type: "NS" as const, name: zone, data: `ns.${zone}` }]],
    [`A ns.${zone}`, [{ type: "A" as const, name: `ns.${zone}`, data: "127.0.0.1" }]],
  ])
}

async function startResolvers(records: Records = new Map(), failing?: Failing) {
  await using started = new AsyncDisposableStack()
  const everybodys = started.use(await startNameServer(publicRecords()))
  const zones = started.use(await startNameServer(records, failing))
  const system = new Resolver({ timeout: 500, tries: 1 })
  system.setServers([`127.0.0.1:${everybodys.port}`])
  const all = started.move()
  return {
    everybodys,
    zones,
    system,
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

test("a new host is looked up at its zone's own name servers, and nowhere else", async () => {
  const records: Records = new Map()
  await using servers = await startResolvers(records)
  const { system, zones, everybodys } = servers
  const resolve = openZoneResolver({ host, zone, system, port: zones.port })
  expect(await resolve()).toEqual({
    problem: "api.accounts.test does not exist yet at the name servers of accounts.test",
  })
  records.set(`A ${host}`, [{ type: "A", name: host, data: "192.0.2.7" }])
  records.set(`AAAA ${host}`, [{ type: "AAAA", name: host, data: "2001:db8::7" }])
  expect(await resolve()).toEqual({
    resolved: [
      { address: "192.0.2.7", family: 4 },
      { address: "2001:db8::7", family: 6 },
    ],
  })
  expect(zones.asked).toContain(`A ${host}`)
  expect(everybodys.asked.filter((question) => question.endsWith(host))).toEqual([])
})

test("a host that is another name for one outside of the zone is followed there", async () => {
  const target = "accounts.test.cdn.example"
  const records: Records = new Map([
    [`CNAME ${host}`, [{ type: "CNAME" as const, name: host, data: target }]],
  ])
  await using servers = await startResolvers(records)
  const { zones, everybodys } = servers
  await using elsewhere = await startNameServer(
    publicRecords().set(`A ${target}`, [{ type: "A", name: target, data: "192.0.2.9" }]),
  )
  const system = new Resolver()
  system.setServers([`127.0.0.1:${elsewhere.port}`])
  const resolve = openZoneResolver({ host, zone, system, port: zones.port })
  expect(await resolve()).toEqual({ resolved: [{ address: "192.0.2.9", family: 4 }] })
  expect(everybodys.asked).toEqual([])
  expect(elsewhere.asked.filter((question) => question.endsWith(` ${host}`))).toEqual([])
})

test("when no name server of the zone answers, the system's resolver is left alone for a while", async () => {
  await using servers = await startResolvers()
  const { system, zones } = servers
  const { port } = zones
  await zones[Symbol.asyncDispose]()
  const question = { host, zone, system, port }
  expect(await openZoneResolver(question)()).toEqual({
    problem: expect.stringMatching(
      /^the name servers of accounts\.test cannot be reached \(.*\); the system's resolver is asked for api\.accounts\.test after 60 s$/,
    ),
  })
  expect(await openZoneResolver({ ...question, patience: 0 })()).toEqual({ resolved: undefined })
  expect(servers.everybodys.asked.filter((asked) => asked.endsWith(` ${host}`))).toEqual([])
})

const address = [{ type: "A" as const, name: host, data: "192.0.2.7" }]

test.each(["SERVFAIL", "REFUSED"] as const)(
  "name servers that answer %s say nothing about the host",
  async (failure) => {
    await using servers = await startResolvers(new Map(), () => failure)
    const { system, zones, everybodys } = servers
    const resolve = openZoneResolver({ host, zone, system, port: zones.port })
    expect(await resolve()).toEqual({
      problem: expect.stringMatching(/^the name servers of accounts\.test cannot be reached/),
    })
    expect(everybodys.asked.filter((question) => question.endsWith(` ${host}`))).toEqual([])
  },
)

test.each([
  ["A", "AAAA"],
  ["AAAA", "A"],
] as const)("a host with %s alone is found although %s is refused", async (type, other) => {
  const data = type === "A" ? "192.0.2.7" : "2001:db8::7"
  const records: Records = new Map([[`${type} ${host}`, [{ type, name: host, data }]]])
  await using servers = await startResolvers(records, (question) =>
    question.startsWith(`${other} `) ? "REFUSED" : undefined,
  )
  const resolve = openZoneResolver({ host, zone, system: servers.system, port: servers.zones.port })
  expect(await resolve()).toEqual({
    resolved: [{ address: data, family: type === "A" ? 4 : 6 }],
  })
})

test("a host that is the zone itself is found at its own address", async () => {
  const records: Records = new Map([
    [`A ${zone}`, [{ type: "A" as const, name: zone, data: "192.0.2.8" }]],
  ])
  await using servers = await startResolvers(records)
  const question = { host: zone, zone, system: servers.system, port: servers.zones.port }
  expect(await openZoneResolver(question)()).toEqual({
    resolved: [{ address: "192.0.2.8", family: 4 }],
  })
})

test("behind a firewall the name servers are given up together, once for all", async () => {
  await using servers = await startResolvers(new Map([[`A ${host}`, address]]), () => "silence")
  const { system, zones } = servers
  const question = { host, zone, system, port: zones.port, limit: 50 }
  expect(await openZoneResolver(question)()).toEqual({
    problem: expect.stringContaining("ECANCELLED"),
  })
  const resolve = openZoneResolver({ ...question, patience: 0 })
  expect(await resolve()).toEqual({ resolved: undefined })
  const asked = zones.asked.length
  expect(await resolve()).toEqual({ resolved: undefined })
  expect(zones.asked).toHaveLength(asked)
})

test("a request goes to the address that was looked up, and asks for the certificate of the host", async () => {
  const names: string[] = []
  const server = createServer({
    SNICallback: (name, done) => {
      names.push(name)
      done(new Error("no certificate"))
    },
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const listening = server.address()
  if (listening === null || typeof listening === "string") throw new Error("no port")
  const request = requestService({
    address: { url: `https://${host}:${listening.port}` },
    resolved: [{ address: "127.0.0.1", family: 4 }],
    path: "/",
    headers: {},
    timeout: 5000,
  })
  await expect(request).rejects.toThrow(/ECONNRESET|socket|alert/)
  await new Promise((closed) => server.close(closed))
  expect(names).toEqual([host])
})
