import grpc from "@grpc/grpc-js"
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engineProto from "@pulumi/pulumi/proto/engine_pb.js"
import type * as engine from "@pulumi/pulumi/proto/engine_pb.js"

export type Log = {
  info(message: string): void
  warn(message: string): void
}

/** Writes lines under a resource in the engine's output. A lost line goes to stderr and fails nothing. */
export type EngineLog = {
  of(urn: string): Log
  /** Resolves when all lines have arrived. The engine rejects lines about a finished operation. */
  delivered(): Promise<void>
}

/** Milliseconds for one line. */
const sendTimeout = 2000

export function createLog(address: string | undefined): EngineLog {
  const client = address && new EngineClient(address, grpc.credentials.createInsecure())
  const pending = new Set<Promise<void>>()

  const send = (urn: string, severity: engine.LogSeverity, message: string) => {
    if (!client) {
      process.stderr.write(`${message}\n`)
      return
    }
    const request = new engineProto.LogRequest()
    request.setUrn(urn)
    request.setSeverity(severity)
    request.setMessage(message)
    const delivery = new Promise<void>((resolve) => {
      client.log(request, new grpc.Metadata(), { deadline: Date.now() + sendTimeout }, (error) => {
        if (error) process.stderr.write(`${message}\n`)
        resolve()
      })
    })
    pending.add(delivery)
    void delivery.then(() => pending.delete(delivery))
  }

  const { INFO, WARNING } = engineProto.LogSeverity
  return {
    of: (urn) => ({
      info: (message) => send(urn, INFO, message),
      warn: (message) => send(urn, WARNING, message),
    }),
    async delivered() {
      await Promise.all(pending)
    },
  }
}
