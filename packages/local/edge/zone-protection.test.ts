import { request } from "node:http"
import { text } from "node:stream/consumers"

import { expect, test } from "vitest"

import { deploySite, startFaultServer } from "../faults/testing/fault-server.ts"
import { zones } from "../state/seed.ts"

const zone_id = zones.find(({ name }) => name === "accounts.test")?.id ?? ""
const agentHeaders = { "user-agent": "accounts" }
const browser = { "user-agent": "Mozilla/5.0 (X11)", "sec-fetch-site": "none", accept: "text/html" }

async function deploySites() {
  const cloudflare = await startFaultServer()
  const site = await deploySite(cloudflare, "guarded")
  return {
    versionId: site.versionId,
    local: cloudflare.local,
    ask: (headers: Record<string, string>, path = "/") =>
      askPlainly(`${cloudflare.edge}${path}`, { ...agentHeaders, host: site.host, ...headers }),
    askWithoutName: (headers: Record<string, string>) =>
      askPlainly(cloudflare.edge, { host: site.host, ...headers }),
    [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose](),
  }
}

/** Sends no header that `fetch` would add. */
function askPlainly(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      request(url, { headers }, (answer) => {
        text(answer).then(
          (body) =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: body }),
          reject,
        )
      })
        .on("error", reject)
        .end()
    },
  )
}

test("Browser Integrity Check, on in every new zone, refuses requests without a User-Agent", async () => {
  await using sites = await deploySites()
  const { ask, askWithoutName, local, versionId } = sites
  expect(await askWithoutName({})).toMatchObject({ status: 403, text: "error code: 1010" })
  const page = await askWithoutName({ accept: "text/html" })
  expect(page.status).toBe(403)
  expect(page.text).toContain("Error 1010")
  expect(page.text).toContain("based on your browser's signature")
  expect(await ask({})).toMatchObject({ status: 200, text: versionId })

  await local("/local/settings", { browserCheck: false })
  expect(await askWithoutName({})).toMatchObject({ status: 200, text: versionId })
})

test("Bot Fight Mode challenges every client that is no browser", async () => {
  await using sites = await deploySites()
  const { ask, local, versionId } = sites
  await local("/local/settings", { fightMode: true })
  for (const headers of [{}, { "user-agent": "Mozilla/5.0 (X11)" }]) {
    expect(await ask(headers)).toMatchObject({
      status: 403,
      headers: { "cf-mitigated": "challenge", server: "cloudflare" },
      text: expect.stringContaining("Just a moment..."),
    })
  }
  expect(await ask(browser)).toMatchObject({ status: 200, text: versionId })
})

test("Access redirects to its login unless both headers of a service token are right", async () => {
  await using sites = await deploySites()
  const { ask, local, versionId } = sites
  const token = { id: "known.access", secret: "a secret" }
  const application = { host: "guarded.accounts.test", serviceTokens: [token] }
  await local("/local/settings", { accessApplications: [application] })
  const tokenHeaders = (id: string, secret: string) => ({
    "cf-access-client-id": id,
    "cf-access-client-secret": secret,
  })
  for (const headers of [
    {},
    browser,
    tokenHeaders(token.id, "wrong"),
    tokenHeaders("unknown", token.secret),
  ]) {
    const { status, headers: answerHeaders } = await ask(headers, "/rows?a=1")
    expect(status).toBe(302)
    const { hostname, pathname, searchParams } = new URL(String(answerHeaders["location"]))
    expect(hostname).toBe("accounts-local.cloudflareaccess.com")
    expect(pathname).toBe("/cdn-cgi/access/login/guarded.accounts.test")
    expect(searchParams.get("redirect_url")).toBe("/rows?a=1")
  }
  expect(await ask(tokenHeaders(token.id, token.secret))).toMatchObject({
    status: 200,
    text: versionId,
  })

  await local("/local/settings", { accessApplications: [{ ...application, login: false }] })
  expect(await ask(tokenHeaders(token.id, "wrong"))).toMatchObject({ status: 403 })
  expect(await ask(tokenHeaders(token.id, token.secret))).toMatchObject({ status: 200 })
  await local("/local/settings", { accessApplications: [] })
  expect(await ask({})).toMatchObject({ status: 200 })
})

test("a route answers only where the zone has a proxied DNS record", async () => {
  await using cloudflare = await startFaultServer()
  const { client } = await deploySite(cloudflare, "routed")
  const { accountId: account_id } = cloudflare
  for await (const { id } of client.workers.domains.list({ account_id })) {
    await client.workers.domains.delete(id ?? "", { account_id })
  }
  const host = "www.accounts.test"
  await client.workers.routes.create({ zone_id, pattern: `${host}/*`, script: "routed" })
  const status = async () => {
    const { status: code, text: body } = await askPlainly(cloudflare.edge, {
      ...agentHeaders,
      host,
    })
    return `${code} ${code === 200 ? "" : body.split("\n").at(1)}`.trim()
  }
  expect(await status()).toBe("200")
  const records = await Array.fromAsync(client.dns.records.list({ zone_id }))
  for (const { id, name } of records) {
    if (name === "*.accounts.test") await client.dns.records.delete(id, { zone_id })
  }
  expect(await status()).toContain(`530 ${host} has no DNS record`)
  const record = { zone_id, name: host, type: "AAAA" as const, content: "100::", ttl: 1 as const }
  const { id } = await client.dns.records.create({ ...record, proxied: false })
  expect(await status()).toContain(`530 ${host} has a DNS record that is not proxied`)
  await client.dns.records.delete(id, { zone_id })
  await client.dns.records.create({ ...record, proxied: true })
  expect(await status()).toBe("200")
})

test("a firewall rule blocks its paths, except with its header", async () => {
  await using sites = await deploySites()
  const { ask, local } = sites
  await local("/local/settings", {
    firewallRules: [
      {
        host: "guarded.accounts.test",
        path: "/api/*",
        except: { header: "X-Trial", value: "let me in" },
      },
    ],
  })
  expect(await ask({}, "/api/health")).toMatchObject({ status: 403, text: "error code: 1020" })
  expect(await ask({ accept: "text/html" }, "/api/health")).toMatchObject({
    status: 403,
    text: expect.stringContaining("Sorry, you have been blocked"),
  })
  expect(await ask({ "x-trial": "let me in" }, "/api/health")).toMatchObject({ status: 200 })
  expect(await ask({}, "/other")).toMatchObject({ status: 200 })
})

test("the edge's own address says where to look, other unknown hosts do not", async () => {
  await using cloudflare = await startFaultServer()
  const ask = async (host: string, path = "/") => {
    const { status, text: body } = await askPlainly(`${cloudflare.edge}${path}`, {
      host,
      ...agentHeaders,
    })
    return `${status} ${body}`.trim()
  }
  const { host } = new URL(cloudflare.edge)
  expect(await ask(host)).toContain(
    "404 error code: 1042\nThis is the edge of the local Cloudflare.",
  )
  expect(await ask(host)).toContain("`./accounts local status`")
  expect(await ask(host, "/other")).toBe("404 error code: 1042")
  expect(await ask("unknown.accounts.test")).toBe("404 error code: 1042")
})

test("a declared body of more than 100 MB gets 413", async () => {
  await using sites = await deploySites()
  const declare = (bytes: number) => sites.ask({ "content-length": String(bytes) })
  expect(await declare(0)).toMatchObject({ status: 200 })
  expect(await declare(100 * 1024 * 1024 + 1)).toMatchObject({
    status: 413,
    text: expect.stringContaining("Request Entity Too Large"),
  })
})
