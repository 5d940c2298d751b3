import grpc from "@grpc/grpc-js"
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engineProto from "@pulumi/pulumi/proto/engine_pb.js"
import * as settings from "@pulumi/pulumi/runtime/settings.js"
import { expect, test } from "vitest"

import { expectWholeProgram } from "./whole-program.ts"

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
