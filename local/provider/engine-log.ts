import { credentials } from "@grpc/grpc-js"
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engine from "@pulumi/pulumi/proto/engine_pb.js"

/** Shows messages in the output of `pulumi`. */
export type EngineLog = { info: (message: string) => void }

/**
 * The log of the engine that started this process; without an address messages are dropped. A
 * plugin's stderr appears only with `--debug`.
 */
export function connectEngineLog(address: string | undefined): EngineLog {
  if (address === undefined) return { info: () => {} }
  const client = new engineService.EngineClient(address, credentials.createInsecure())
  return {
    info: (message) => {
      const request = new engine.LogRequest()
      request.setSeverity(engine.LogSeverity.INFO).setMessage(message)
      // A lost message must not fail the update.
      client.log(request, () => {})
    },
  }
}
