import grpc from "@grpc/grpc-js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import statusProto from "@pulumi/pulumi/proto/status_pb.js"
import anyProto from "google-protobuf/google/protobuf/any_pb.js"

import { encode } from "./property.ts"
import { PartialFailure } from "./resource.ts"

/** A unary method from an async function; what it throws becomes the engine's error text. */
export function answer<Request, Response>(
  act: (request: Request) => Promise<Response>,
): grpc.handleUnaryCall<Request, Response> {
  return (call, callback) => {
    void respond(act(call.request), callback)
  }
}

async function respond<Response>(
  result: Promise<Response>,
  callback: grpc.sendUnaryData<Response>,
): Promise<void> {
  try {
    callback(null, await result)
  } catch (error) {
    callback(statusOf(error))
  }
}

export function unimplemented(method: string): grpc.handleUnaryCall<unknown, never> {
  return (_call, callback) => callback(missing(method))
}

export function unimplementedStream(
  method: string,
): grpc.handleServerStreamingCall<unknown, never> {
  return (call) => void call.emit("error", missing(method))
}

function missing(method: string): Partial<grpc.StatusObject> {
  return { code: grpc.status.UNIMPLEMENTED, details: `${method} is not implemented` }
}

function statusOf(error: unknown): Partial<grpc.StatusObject> {
  const details = error instanceof Error ? error.message : String(error)
  const code = grpc.status.UNKNOWN
  if (!(error instanceof PartialFailure)) return { code, details }
  return { code, details, metadata: initFailed(error) }
}

/** gRPC's richer error model, which the engine reads and grpc-js has no call for. */
function initFailed(error: PartialFailure): grpc.Metadata {
  const failure = new proto.ErrorResourceInitFailed()
  failure.setId(error.outcome.id)
  failure.setProperties(encode(error.outcome.outputs))
  failure.setReasonsList([error.message])
  const detail = new anyProto.Any()
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed")
  const status = new statusProto.Status()
  status.setCode(grpc.status.UNKNOWN)
  status.setMessage(error.message)
  status.addDetails(detail)
  const metadata = new grpc.Metadata()
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()))
  return metadata
}
