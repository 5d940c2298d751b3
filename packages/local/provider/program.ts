import { Server, ServerCredentials } from "@grpc/grpc-js"
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js"

import { createProvider } from "./server.ts"

// The engine's own limit. Messages are large because a version contains its modules.
const maxMessageBytes = 400 * 1024 * 1024

// The engine passes its address last, after the flags for logging.
const engine = process.argv.slice(2).findLast((argument) => !argument.startsWith("-"))
const { service } = createProvider({
  known: { engine },
  announce: (message) => void process.stderr.write(`${message}\n`),
})
const server = new Server({
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
})
server.addService(providerService.ResourceProviderService, service)
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  process.stdout.write(`${port}\n`)
})

// An engine that was killed cannot stop its plugins.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.exit(0)
}, 1000).unref()
