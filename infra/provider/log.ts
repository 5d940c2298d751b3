import grpc from "@grpc/grpc-js"
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engineProto from "@pulumi/pulumi/proto/engine_pb.js"
import type * as engine from "@pulumi/pulumi/proto/engine_pb.js"

export type Log = {
  info(message: string): void
  warn(message: string): void
}

/** Lines under a resource in the engine's output. Losing one must not fail what it reports on. */
export function createLog(address: string | undefined): (urn: string) => Log {
  if (address === undefined) return () => stderrLog
  const client = new EngineClient(address, grpc.credentials.createInsecure())
  const send = (urn: string, severity: engine.LogSeverity, message: string) => {
    const request = new engineProto.LogRequest()
    request.setUrn(urn)
    request.setSeverity(severity)
    request.setMessage(message)
    client.log(request, (error) => {
      if (error) process.stderr.write(`${message}\n`)
    })
  }
  const { INFO, WARNING } = engineProto.LogSeverity
  return (urn) => ({
    info: (message) => send(urn, INFO, message),
    warn: (message) => send(urn, WARNING, message),
  })
}

const stderrLog: Log = {
  info: (message) => void process.stderr.write(`${message}\n`),
  warn: (message) => void process.stderr.write(`${message}\n`),
}
