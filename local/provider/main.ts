import { readFileSync } from "node:fs"

import { Server, ServerCredentials } from "@grpc/grpc-js"
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js"
import * as z from "zod"

import { connectEngineLog } from "./engine-log.ts"
import { createProvider } from "./server.ts"

// The engine's own limit. Messages are large because a version contains its modules.
const maxMessageBytes = 400 * 1024 * 1024

const Package = z.object({ version: z.string() })
const { version } = Package.parse(
  JSON.parse(readFileSync(new URL(import.meta.resolve("@pulumi/cloudflare/package.json")), "utf8")),
)

// The engine passes its address last, after the flags for logging.
const engineAddress = process.argv.slice(2).findLast((argument) => !argument.startsWith("-"))

const server = new Server({
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
})
server.addService(
  providerService.ResourceProviderService,
  createProvider({ version, log: connectEngineLog(engineAddress) }),
)
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  process.stdout.write(`${port}\n`)
})

// An engine that was killed cannot stop its plugins.
const engine = process.ppid
setInterval(() => {
  if (process.ppid !== engine) process.exit(0)
}, 1000).unref()
