import { credentials } from "@grpc/grpc-js"
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engine from "@pulumi/pulumi/proto/engine_pb.js"

/** Shows messages to the people in front of the engine, beside a resource where one is named. */
export type Log = {
  info: (message: string) => void
  warn: (message: string, urn: string) => void
}

/**
 * Speaks to the engine that started this process; without an address, to nobody. A plugin's stderr
 * is for `--debug`: only what goes this way is seen.
 */
export function connectEngine(address: string | undefined): Log {
  if (address === undefined) return { info: () => {}, warn: () => {} }
  const client = new engineService.EngineClient(address, credentials.createInsecure())
  const log = (severity: engine.LogSeverity, message: string, urn: string) => {
    const request = new engine.LogRequest()
    request.setSeverity(severity).setMessage(message).setUrn(urn)
    // A message that does not arrive is no reason to fail the update.
    client.log(request, () => {})
  }
  return {
    info: (message) => log(engine.LogSeverity.INFO, message, ""),
    warn: (message, urn) => log(engine.LogSeverity.WARNING, message, urn),
  }
}
