import { bind, createServer } from "@accounts-stack/pulumi-host"
import { connectPlugin, openPlugin } from "@accounts-stack/pulumi-host/testing/plugin-client"

import { createProvider } from "../server.ts"
import { startEngineLog } from "./engine-log.ts"

export type ProviderHere = Awaited<ReturnType<typeof startProviderHere>>

/**
 * Serves the provider from this process, as commands do: a process of its own takes a third of a second
 * of processor time to load. A test that kills it, runs several at once or reads what it prints takes
 * `startProvider`.
 */
export async function startProviderHere({
  baseUrl,
  token,
  environment: extraEnvironment,
  ofEngine = false,
}: {
  baseUrl: string
  token?: string
  /** As where the engine starts it. */
  ofEngine?: boolean
  /** More variables of its environment. */
  environment?: NodeJS.ProcessEnv
}) {
  await using opened = new AsyncDisposableStack()
  const engine = opened.adopt(await startEngineLog(), ({ stop }) => stop())
  const { CLOUDFLARE_API_TOKEN: _caller, ...rest } = process.env
  const environment = {
    ...rest,
    ...extraEnvironment,
    ...(token && { CLOUDFLARE_API_TOKEN: token }),
  }
  const { service, stop } = createProvider({
    engineSettings: { engine: engine.address },
    environment,
    ofEngine,
  })
  opened.defer(stop)
  const server = opened.adopt(createServer(service), (opening) => opening.forceShutdown())
  const client = opened.adopt(connectPlugin(await bind(server)), (opening) => opening.close())
  const provider = openPlugin(client, "accounts:index:")
  await provider.configure({ baseUrl })
  const resources = opened.move()
  return { ...provider, log: engine.lines, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
