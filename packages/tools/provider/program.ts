import grpc from "@grpc/grpc-js"
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js"

import { nameUser, useProxies } from "../base/process-environment.ts"
import { createProvider, maxMessage } from "./server.ts"

/** Starts the provider and prints its port for the engine: the only line on stdout. */
export async function serve(args: string[]): Promise<void> {
  // Read before the engine knows the port: after that the engine may exit at any moment.
  const parent = process.ppid
  nameUser()
  useProxies()
  const provider = createProvider({ known: { engine: engineAddress(args) } })
  const server = new grpc.Server({ "grpc.max_receive_message_length": maxMessage })
  server.addService(ResourceProviderService, provider.service)
  const port = await bind(server)
  process.stdout.write(`${port}\n`)
  exitWith(parent, provider.busy)
}

/** The engine may pass log and tracing flags before its address. */
function engineAddress(args: string[]): string | undefined {
  return args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--tracing")
}

function bind(server: grpc.Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error)
      else resolve(port)
    })
  })
}

/** A killed engine cannot stop this process, so it exits by itself, after running operations. */
function exitWith(parent: number, busy: () => boolean): void {
  const watch = setInterval(() => {
    if (process.ppid !== parent && !busy()) process.exit(0)
  }, 1000)
  watch.unref()
}
