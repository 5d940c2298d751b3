import { credentials } from "@grpc/grpc-js"
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engine from "@pulumi/pulumi/proto/engine_pb.js"

/** Shows messages in the output of `pulumi`. */
export type EngineLog = {
  info: (message: string) => void
  /** @param urn of the resource that it is about */
  warn: (message: string, urn: string) => void
}

/**
 * The log of the engine that started this process; without an address messages are dropped. A
 * plugin's stderr appears only with `--debug`.
 */
export function connectEngineLog(address: string | undefined): EngineLog {
  if (address === undefined) return { info: () => {}, warn: () => {} }
  const client = new engineService.EngineClient(address, credentials.createInsecure())
  // A lost message must not fail the update.
  const send = (request: engine.LogRequest) => client.log(request, () => {})
  return {
    info: (message) =>
      send(new engine.LogRequest().setSeverity(engine.LogSeverity.INFO).setMessage(message)),
    warn: (message, urn) =>
      send(
        new engine.LogRequest()
          .setSeverity(engine.LogSeverity.WARNING)
          .setMessage(message)
          .setUrn(urn),
      ),
  }
}
