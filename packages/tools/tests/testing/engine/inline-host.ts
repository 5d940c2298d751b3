import { createRequire } from "node:module"

import grpc from "@grpc/grpc-js"
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb.js"

/**
 * `node inline-host.ts MODULE` serves the module's `program` to an engine with the Automation API's
 * own language server, prints the port and exits when its input closes.
 */
type Server = new (program: () => Promise<unknown>) => grpc.UntypedServiceImplementation

// Not part of the published types, so it is required instead of imported.
const automation: { LanguageServer: Server } = createRequire(import.meta.url)(
  "@pulumi/pulumi/automation/server.js",
)

const [module = ""] = process.argv.slice(2)
const { program }: { program: () => Promise<unknown> } = await import(module)
const server = new grpc.Server()
server.addService(LanguageRuntimeService, new automation.LanguageServer(program))
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  process.stdout.write(`${port}\n`)
})
process.stdin.resume().once("end", () => process.exit())
