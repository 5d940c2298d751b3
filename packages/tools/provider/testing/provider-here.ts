import grpc from "@grpc/grpc-js"
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js"

import { createProvider, maxMessage } from "../server.ts"
import { openConfiguredClient } from "./configured-client.ts"
import { startEngineLog } from "./engine-log.ts"
import { openProvider } from "./provider-client.ts"

export type ProviderHere = Awaited<ReturnType<typeof startProviderHere>>

/**
 * Serves the provider from this process, as commands do: a process of its own takes a third of a second
 * of processor time to load. A test that kills it, runs several at once or reads what it prints takes
 * `startProvider`.
 */
export async function startProviderHere({
  baseUrl,
  token,
  environment: more,
}: {
  baseUrl: string
  token?: string
  /** More variables of its environment. */
  environment?: NodeJS.ProcessEnv
}) {
  await using opened = new AsyncDisposableStack()
  const engine = opened.adopt(await startEngineLog(), ({ stop }) => stop())
  const { CLOUDFLARE_API_TOKEN: _caller, ...rest } = process.env
  const environment = { ...rest, ...more, ...(token && { CLOUDFLARE_API_TOKEN: token }) }
  const { service, stop } = createProvider({ known: { engine: engine.address }, environment })
  opened.defer(stop)
  const server = new grpc.Server({ "grpc.max_receive_message_length": maxMessage })
  opened.defer(() => server.forceShutdown())
  server.addService(ResourceProviderService, service)
  const { promise: port, resolve, reject } = Promise.withResolvers<number>()
  const credentials = grpc.ServerCredentials.createInsecure()
  server.bindAsync("127.0.0.1:0", credentials, (error, bound) =>
    error ? reject(error) : resolve(bound),
  )
  const client = await openConfiguredClient(await port, baseUrl)
  opened.defer(() => client.close())
  const all = opened.move()
  return {
    ...openProvider(client),
    log: engine.lines,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
