import grpc from "@grpc/grpc-js"
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"

import { handle } from "../protocol/handler.ts"

/** A fake of the engine's log service. */
export async function startEngineLog() {
  const lines: string[] = []
  const server = new grpc.Server()
  const log = handle(async (request: LogRequest) => {
    lines.push(request.getMessage())
    return new emptyProto.Empty()
  })
  const implemented: grpc.UntypedServiceImplementation = { log }
  server.addService(EngineService, implemented)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error)
      else resolve(bound)
    })
  })
  return { address: `127.0.0.1:${port}`, lines, stop: () => server.forceShutdown() }
}
