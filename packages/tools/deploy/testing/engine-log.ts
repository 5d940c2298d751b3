import { bind, handle } from "@accounts-stack/pulumi-host"
import grpc from "@grpc/grpc-js"
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"

/** A fake of the engine's log service. */
export async function startEngineLog() {
  const lines: string[] = []
  const server = new grpc.Server()
  const log = handle((request: LogRequest) => {
    lines.push(request.getMessage())
    return new emptyProto.Empty()
  })
  const implemented: grpc.UntypedServiceImplementation = { log }
  server.addService(EngineService, implemented)
  const port = await bind(server)
  return { address: `127.0.0.1:${port}`, lines, stop: () => server.forceShutdown() }
}
