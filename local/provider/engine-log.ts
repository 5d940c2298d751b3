import { credentials } from "@grpc/grpc-js"
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engine from "@pulumi/pulumi/proto/engine_pb.js"

/** Shows messages in the output of `pulumi`, next to the resource whose URN is given. */
export type EngineLog = {
  info: (message: string) => void
  warn: (message: string, urn: string) => void
}

/**
 * The log of the engine that started this process; without an address messages are dropped. A
 * plugin's stderr appears only with `--debug`.
 */
export function connectEngineLog(address: string | undefined): EngineLog {
  if (address === undefined) return { info: () => {}, warn: () => {} }
  const client = new engineService.EngineClient(address, credentials.createInsecure())
  const log = (severity: engine.LogSeverity, message: string, urn: string) => {
    const request = new engine.LogRequest()
    request.setSeverity(severity).setMessage(message).setUrn(urn)
    // A lost message must not fail the update.
    client.log(request, () => {})
  }
  return {
    info: (message) => log(engine.LogSeverity.INFO, message, ""),
    warn: (message, urn) => log(engine.LogSeverity.WARNING, message, urn),
  }
}
