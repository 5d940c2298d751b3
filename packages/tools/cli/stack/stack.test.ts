import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  mkdtempDisposableSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { connectPlugin, openPlugin } from "@accounts-stack/pulumi-host/testing/plugin-client"
import grpc from "@grpc/grpc-js"
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engineProto from "@pulumi/pulumi/proto/engine_pb.js"
import * as settings from "@pulumi/pulumi/runtime/settings.js"
import { expect, test, onTestFinished } from "vitest"
import { parse } from "yaml"

import { root } from "../../base/root.ts"
import { parseStackFile, readStackFile } from "../../environment/read.ts"
import { shownEdits } from "../../environment/testing/edits.ts"
import { createEnvironments, set } from "../../environment/testing/environments-folder.ts"
import { openProviders } from "./in-process-providers.ts"
import { generateProject, toRehearse } from "./project.ts"
import { expectWholeProgram } from "./whole-program.ts"

const template = join(root, "environments", "Pulumi.local.yaml")

function stateDirectory() {
  const path = mkdtempSync(join(tmpdir(), "accounts-project-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test("a generated project runs the checkout's program with other values, and does not change the template", () => {
  using state = stateDirectory()
  const before = readFileSync(template, "utf8")
  const overrides = {
    "cloudflare:baseUrl": "http://127.0.0.1:1234/client/v4",
    "accounts:apiOrigin": "http://localhost:4321",
  }
  const project = generateProject({ state: state.path, stack: "local", template, overrides })
  expect(parse(readFileSync(join(project.directory, "Pulumi.yaml"), "utf8"))).toMatchObject({
    main: join(root, "infra", "main.js"),
    plugins: { providers: [{ name: "accounts", path: join(root, "packages", "tools", "deploy") }] },
  })
  expect(parse(readFileSync(project.stackFile, "utf8"))).toMatchObject({ config: overrides })
  expect(readFileSync(template, "utf8")).toBe(before)
})

test("an invalid value is rejected before the engine sees it", () => {
  using state = stateDirectory()
  const overrides = { "accounts:apiOrigin": "http://example.com" }
  expect(() => generateProject({ state: state.path, stack: "local", template, overrides })).toThrow(
    /accounts:apiOrigin is not in the zone localhost/,
  )
})

test("the error names a missing template, and no project is created", () => {
  using state = stateDirectory()
  expect(() =>
    generateProject({
      state: state.path,
      stack: "x",
      template: "/nowhere/preview.yaml",
      overrides: {},
    }),
  ).toThrow(/\/nowhere\/preview\.yaml[\s\S]*does not exist/)
  expect(existsSync(join(state.path, "projects", "x", "Pulumi.x.yaml"))).toBe(false)
})

/** An engine that knows a root resource. */
async function openEngine(address = "127.0.0.1:0") {
  const server = new grpc.Server()
  const answer = new engineProto.GetRootResourceResponse().setUrn("urn")
  server.addService(EngineService, {
    getRootResource: (_call: unknown, reply: grpc.sendUnaryData<typeof answer>) =>
      reply(null, answer),
  })
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = grpc.ServerCredentials.createInsecure()
    server.bindAsync(address, credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return { address: `127.0.0.1:${port}`, [Symbol.dispose]: () => server.forceShutdown() }
}

/** The engine's answer to a program that starts now, or its error. */
function askFrom(client: ReturnType<typeof settings.getEngine>) {
  const request = new engineProto.GetRootResourceRequest()
  return new Promise((resolve) => {
    client?.getRootResource(request, (error, answer) => resolve(error?.message ?? answer.getUrn()))
  })
}

function startProgram(address: string) {
  settings.resetOptions("accounts", "local", 1, address, "", false, "")
  return settings.getEngine()
}

test("an engine at the port of one that has gone is reachable at once", async () => {
  expectWholeProgram()
  const { address, former } = await (async () => {
    using engine = await openEngine()
    const client = startProgram(engine.address)
    expect(await askFrom(client)).toBe("urn")
    return { address: engine.address, former: client }
  })()
  await expect.poll(() => askFrom(former)).toContain("No connection established")
  using _next = await openEngine(address)
  expect(await askFrom(startProgram(address))).toBe("urn")
  settings.resetOptions("", "", -1, "", "", false, "")
})

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
  const [firstService, secondService] = [await openSickService(), await openSickService()]
  const cancelled = connect(providers.environment)
  const unaffected = connect(providers.environment)
  const [first, second] = [
    verify(cancelled, firstService.url),
    verify(unaffected, secondService.url),
  ]
  await expect.poll(firstService.requests).toBeGreaterThan(0)
  await expect.poll(secondService.requests).toBeGreaterThan(0)
  await cancelled.cancel()
  expect(await first).toMatch(/the operation was (?:cancelled|aborted)/i)
  const before = secondService.requests()
  await expect.poll(secondService.requests).toBeGreaterThan(before)
  await unaffected.cancel()
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
  const requestsBefore = service.requests()
  expect(await verification).toMatch(/UNAVAILABLE|Connection dropped/)
  // Longer than the longest pause between two attempts.
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  expect(service.requests()).toBe(requestsBefore)
})

test("a provider under a debugger is not replaced", async () => {
  process.env["PULUMI_DEBUG_PROVIDERS"] = "accounts:1"
  onTestFinished(() => void delete process.env["PULUMI_DEBUG_PROVIDERS"])
  await using providers = await openProviders({ environment: {} })
  expect(providers.environment).toEqual({})
})

function configOf(directory: string) {
  const path = join(directory, "Pulumi.production.yaml")
  return parseStackFile(path, path).config
}

test.each(Object.entries(shownEdits))(
  "an environment can be tried on this machine: %s",
  (_, edit) => {
    using environments = createEnvironments()
    environments.edit(edit[0])
    using folder = mkdtempDisposableSync(join(tmpdir(), "accounts-rehearsal-"))
    const path = join(folder.path, "accounts.yaml")
    const config = toRehearse("production", configOf(environments.directory), {})
    writeFileSync(
      path,
      JSON.stringify({
        config: { ...config, "cloudflare:baseUrl": "http://127.0.0.1:8787/client/v4" },
      }),
    )
    expect(readStackFile({ path, name: "production" }).environment.keepMail).toBe(true)
  },
)

test("a rehearsal has a secret of its own for each that the file has sealed, and keeps them", () => {
  using environments = createEnvironments()
  environments.edit(set(["secrets", "FACTOR_SECRET"], { secure: "v1:x" }))
  const config = configOf(environments.directory)
  const first = toRehearse("production", config, {})["accounts:secrets"]
  expect(Object.keys(Object(first)).toSorted()).toEqual(["AUTH_SECRET", "FACTOR_SECRET"])
  expect(toRehearse("production", config, Object(first))["accounts:secrets"]).toEqual(first)
  environments.edit(set(["secrets", "FACTOR_SECRET_PREVIOUS"], { secure: "v1:x" }))
  const rotated = configOf(environments.directory)
  const [before, second] = [Object(first), toRehearse("production", rotated, Object(first))]
  const secrets = Object(second["accounts:secrets"])
  expect(secrets).toMatchObject({
    AUTH_SECRET: before.AUTH_SECRET,
    FACTOR_SECRET_PREVIOUS: before.FACTOR_SECRET,
  })
  expect(secrets.FACTOR_SECRET).not.toBe(before.FACTOR_SECRET)
  expect(toRehearse("production", rotated, secrets)["accounts:secrets"]).toEqual(secrets)
})
