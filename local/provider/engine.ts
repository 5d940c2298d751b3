import { credentials } from "@grpc/grpc-js"
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engine from "@pulumi/pulumi/proto/engine_pb.js"

/** Shows a warning beside a resource. */
export type Warn = (message: string, urn: string) => void

/** Speaks to the engine that started this process; without an address, to nobody. */
export function connectEngine(address: string | undefined): Warn {
  if (address === undefined) return () => {}
  const client = new engineService.EngineClient(address, credentials.createInsecure())
  return (message, urn) => {
    const request = new engine.LogRequest()
    request.setSeverity(engine.LogSeverity.WARNING)
    request.setMessage(message)
    request.setUrn(urn)
    // A warning that does not arrive is no reason to fail the update.
    client.log(request, () => {})
  }
}
