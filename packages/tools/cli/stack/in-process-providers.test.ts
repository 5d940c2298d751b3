import { createServer } from "node:http"

import { connectPlugin, openPlugin } from "@accounts-stack/pulumi-host/testing/plugin-client"
import { expect, onTestFinished, test } from "vitest"

import { openProviders } from "./in-process-providers.ts"

/** A service that never becomes healthy, so that its verification goes on until it is cancelled. */
async function openSickService() {
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.writeHead(503).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, requests: () => requests }
}

/** Connects as the engine does for each provider of a run. */
function connect({ PULUMI_DEBUG_PROVIDERS: ports = "" }: Record<string, string>) {
  const [, port = ""] = /accounts:(\d+)/.exec(ports) ?? []
  const client = connectPlugin(port)
  onTestFinished(() => client.close())
  return openPlugin(client, "accounts:index:")
}

/** @returns how it ended */
function verify(provider: ReturnType<typeof connect>, url: string): Promise<string> {
  return provider.create("Verification", { url }).then(() => "verified", String)
}

test("what the engine cancels on one connection goes on on another", async () => {
  await using providers = await openProviders({ environment: {} })
  const [one, other] = [await openSickService(), await openSickService()]
  const cancelled = connect(providers.environment)
  const kept = connect(providers.environment)
  const [first, second] = [verify(cancelled, one.url), verify(kept, other.url)]
  await expect.poll(one.requests).toBeGreaterThan(0)
  await expect.poll(other.requests).toBeGreaterThan(0)
  await cancelled.cancel()
  expect(await first).toMatch(/the operation was (?:cancelled|aborted)/i)
  const before = other.requests()
  await expect.poll(other.requests).toBeGreaterThan(before)
  await kept.cancel()
  expect(await second).toMatch(/the operation was (?:cancelled|aborted)/i)
})

test("what still runs on a connection that breaks is cancelled, and has ended when the providers are closed", async () => {
  const service = await openSickService()
  let verification: Promise<string>
  {
    await using providers = await openProviders({ environment: {} })
    verification = verify(connect(providers.environment), service.url)
    await expect.poll(service.requests).toBeGreaterThan(0)
  }
  const asked = service.requests()
  expect(await verification).toMatch(/UNAVAILABLE|Connection dropped/)
  // Longer than the longest pause between two attempts.
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  expect(service.requests()).toBe(asked)
})

test("a provider that somebody debugs is not replaced", async () => {
  process.env["PULUMI_DEBUG_PROVIDERS"] = "accounts:1"
  onTestFinished(() => void delete process.env["PULUMI_DEBUG_PROVIDERS"])
  await using providers = await openProviders({ environment: {} })
  expect(providers.environment).toEqual({})
})
