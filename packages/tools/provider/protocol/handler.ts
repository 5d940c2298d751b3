import grpc from "@grpc/grpc-js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import statusProto from "@pulumi/pulumi/proto/status_pb.js"
import anyProto from "google-protobuf/google/protobuf/any_pb.js"

import { type Failure, type FailureFacts, isFailure, messageOf } from "../../base/failure.ts"
import { encodeProperties } from "./properties.ts"

/** A unary gRPC method from an async function; the engine shows the message of what it throws. */
export function handle<Request, Response>(
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

function statusOf(error: unknown): Partial<grpc.StatusObject> {
  const details = messageOf(error)
  const code = grpc.status.UNKNOWN
  if (!isFailure(error, "PARTLY_DONE")) return { code, details }
  return { code, details, metadata: initFailed(error) }
}

type PartlyDone = Failure<"PARTLY_DONE"> & { facts: FailureFacts["PARTLY_DONE"] }

/** gRPC's rich error model: the engine reads it, but grpc-js cannot write it. */
function initFailed({ message, facts }: PartlyDone): grpc.Metadata {
  const failure = new proto.ErrorResourceInitFailed()
  failure.setId(facts.id)
  failure.setProperties(encodeProperties(facts.outputs))
  failure.setReasonsList([message])
  // Whatever it is: what became of it is read before it is tried again.
  failure.setRefreshBeforeUpdate(true)
  const detail = new anyProto.Any()
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed")
  const status = new statusProto.Status()
  status.setCode(grpc.status.UNKNOWN)
  status.setMessage(message)
  status.addDetails(detail)
  const metadata = new grpc.Metadata()
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()))
  return metadata
}
