import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { afterAll, expect, test } from "vitest"

import { startProviderHere } from "../testing/provider-here.ts"

const provider = await startProviderHere({ baseUrl: "http://127.0.0.1:9/client/v4" })
afterAll(() => provider[Symbol.asyncDispose]())

const version = "11111111-1111-4111-8111-111111111111"
const healthy = { status: "ok", version: { id: version, tag: "" } }

type Answer = { status: number; body: unknown; versionId?: string; location?: string }

/** A service that gives these answers in turn, and then repeats the last one. */
async function startService(...answers: Answer[]) {
  const hosts: (string | undefined)[] = []
  const clients = new Set<string | undefined>()
  const server = await serve((request, response) => {
    hosts.push(`${request.headers.host}${request.url}`)
    clients.add(request.headers["user-agent"])
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer === undefined) return
    const { status, body, versionId, location } = answer
    response.writeHead(status, {
      ...(versionId && { "accounts-version": versionId }),
      ...(location && { location }),
    })
    response.end(JSON.stringify(body))
  })
  return {
    connectTo: server.url,
    hosts,
    clients,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

const url = "https://api.accounts.test"
const good = { status: 200, body: healthy, versionId: version }

test("verification waits for a new hostname and logs its progress", async () => {
  const early = { status: 404, body: "error code: 1042" }
  await using service = await startService(early, { ...good, status: 503 }, good)
  const inputs = { url, connectTo: service.connectTo }
  const created = await provider.create("Verification", inputs, { timeout: 20 })
  expect(created).toEqual({ id: url, outputs: inputs })
  expect([...service.clients]).toEqual([expect.stringMatching(/^accounts-release\/\d+\.\d+\.\d+$/)])
  expect(service.hosts).toEqual(Array.from({ length: 3 }, () => "api.accounts.test/api/health"))
  expect(provider.log).toContain(
    "not yet: 404 without the header accounts-version: no version of this service answered",
  )
  expect(provider.log).toContain(`api.accounts.test is healthy: version ${version}`)
})

test.each([
  ["another service", { status: 200, body: healthy }, "200 without the header accounts-version"],
  ["an ill service", { ...good, status: 503 }, `version ${version} answered 503`],
  ["a service that is behind", { ...good, body: { ...healthy, status: "behind" } }, '"behind"'],
  ["a page", { ...good, body: "<html>" }, `version ${version} answered 200: "<html>"`],
  ["a redirect", { ...good, status: 301, location: "/" }, `version ${version} answered 301`],
  ["an answer of another version", { ...good, versionId: "another" }, `calls itself ${version}`],
])("%s does not count as healthy, and the wait times out", async (_what, answer, problem) => {
  await using service = await startService(answer)
  const inputs = { url, connectTo: service.connectTo }
  const creation = provider.create("Verification", inputs, { timeout: 1 })
  await expect(creation).rejects.toThrow(problem)
  // The first pause takes half of the second that it has; the next pause would be too long.
  expect(service.hosts.length).toBeLessThanOrEqual(2)
})

test("verification gives up on a service that accepts connections but never answers", async () => {
  await using service = await startService()
  const inputs = { url, connectTo: service.connectTo }
  const creation = provider.create("Verification", inputs, { timeout: 2 })
  await expect(creation).rejects.toThrow(/api\/health: no answer: nothing within [\d.]+ s/)
})

test("a refused connection is named in the error", async () => {
  const inputs = { url, connectTo: "http://127.0.0.1:9" }
  const creation = provider.create("Verification", inputs, { timeout: 1 })
  await expect(creation).rejects.toThrow(/no answer: .*ECONNREFUSED 127\.0\.0\.1:9/)
})

test("only a new URL, or a Worker made again, is verified again", async () => {
  const olds = { url, connectTo: "http://127.0.0.1:1" }
  const moved = { olds, oldInputs: olds, inputs: { url, connectTo: "http://127.0.0.1:2" } }
  expect((await provider.diff("Verification", moved)).changes).toBe(false)
  const renamed = { ...moved, inputs: { url: "https://other.accounts.test" } }
  expect(await provider.diff("Verification", renamed)).toMatchObject({
    paths: ["url"],
    replaces: [],
  })
  const made = { olds, oldInputs: { ...olds, worker: "one" }, inputs: { ...olds, worker: "two" } }
  expect(await provider.diff("Verification", made)).toMatchObject({
    paths: ["worker"],
    replaces: [],
  })
  // In a state of before this input.
  expect((await provider.diff("Verification", { ...made, oldInputs: olds })).changes).toBe(false)
})
