import type grpc from "@grpc/grpc-js"
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js"
import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import statusProto from "@pulumi/pulumi/proto/status_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"

import { Failure, type FailureFacts } from "../../base/failure.ts"
import { decodeProperties, encodeProperties } from "../protocol/properties.ts"
import type { Change, Properties, State } from "../protocol/resource.ts"

/** A failed operation as the engine sees it: PARTLY_DONE when it has outputs to keep. */
function failureOf(error: grpc.ServiceError): Error {
  const facts = keptOutputs(error.metadata)
  if (facts === undefined) return new Error(error.details, { cause: error })
  return new Failure("PARTLY_DONE", error.details, { facts, cause: error })
}

type More = { preview?: boolean; timeout?: number }

/** Calls the provider as the engine does. */
export function openProvider(client: ResourceProviderClient) {
  return {
    async checkConfig(inputs: Properties): Promise<string[]> {
      const request = new proto.CheckRequest()
      request.setNews(encodeProperties(inputs))
      return failuresOf(await unary((done) => client.checkConfig(request, done)))
    },

    async check(type: string, inputs: Properties): Promise<string[]> {
      const request = new proto.CheckRequest()
      request.setUrn(urnOf(type))
      request.setNews(encodeProperties(inputs))
      return failuresOf(await unary((done) => client.check(request, done)))
    },

    async diff(type: string, change: Omit<Change, "id">) {
      const request = new proto.DiffRequest()
      request.setUrn(urnOf(type))
      request.setOlds(encodeProperties(change.olds))
      request.setOldInputs(encodeProperties(change.oldInputs))
      request.setNews(encodeProperties(change.inputs))
      const response = await unary<messages.DiffResponse>((done) => client.diff(request, done))
      const changes = response.getChanges() === proto.DiffResponse.DiffChanges.DIFF_SOME
      const paths = [...response.getDetaileddiffMap().keys()].toSorted((a, b) => a.localeCompare(b))
      return { changes, paths, replaces: response.getReplacesList() }
    },

    async create(type: string, inputs: Properties, more: More = {}) {
      const request = new proto.CreateRequest()
      request.setUrn(urnOf(type))
      request.setProperties(encodeProperties(inputs))
      request.setPreview(more.preview ?? false)
      request.setTimeout(more.timeout ?? 0)
      const response = await unary<messages.CreateResponse>((done) => client.create(request, done))
      return { id: response.getId(), outputs: decodeProperties(response.getProperties()) }
    },

    async update(type: string, change: Change, more: More = {}): Promise<Properties> {
      const request = new proto.UpdateRequest()
      request.setUrn(urnOf(type))
      request.setId(change.id)
      request.setOlds(encodeProperties(change.olds))
      request.setOldInputs(encodeProperties(change.oldInputs))
      request.setNews(encodeProperties(change.inputs))
      request.setPreview(more.preview ?? false)
      request.setTimeout(more.timeout ?? 0)
      return decodeProperties(
        (
          await unary<messages.UpdateResponse>((done) => client.update(request, done))
        ).getProperties(),
      )
    },

    /** Undefined when the resource is gone. */
    async read(type: string, state: State): Promise<State | undefined> {
      const request = new proto.ReadRequest()
      request.setUrn(urnOf(type))
      request.setId(state.id)
      request.setProperties(encodeProperties(state.outputs))
      request.setInputs(encodeProperties(state.inputs))
      const response = await unary<messages.ReadResponse>((done) => client.read(request, done))
      if (response.getId() === "") return undefined
      const outputs = decodeProperties(response.getProperties())
      return { id: response.getId(), outputs, inputs: decodeProperties(response.getInputs()) }
    },

    async remove(type: string, { id, outputs }: State): Promise<void> {
      const request = new proto.DeleteRequest()
      request.setUrn(urnOf(type))
      request.setId(id)
      request.setProperties(encodeProperties(outputs))
      await unary((done) => client.delete(request, done))
    },

    async cancel(): Promise<void> {
      await unary((done) => client.cancel(new emptyProto.Empty(), done))
    },
  }
}

export function unary<Response>(
  send: (done: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    send((error, response) => (error ? reject(failureOf(error)) : resolve(response)))
  })
}

function failuresOf(response: messages.CheckResponse): string[] {
  return response.getFailuresList().map((one) => `${one.getProperty()}: ${one.getReason()}`)
}

function urnOf(type: string): string {
  return `urn:pulumi:test::accounts::accounts:infra:Parent$accounts:index:${type}::name`
}

/** Reads the detail as the engine does: google.rpc.Status in a binary trailer. */
function keptOutputs(metadata: grpc.Metadata): FailureFacts["PARTLY_DONE"] | undefined {
  const [packed] = metadata.get("grpc-status-details-bin")
  if (!(packed instanceof Buffer)) return undefined
  const status = statusProto.Status.deserializeBinary(packed)
  const [detail] = status.getDetailsList()
  const name = "pulumirpc.ErrorResourceInitFailed"
  const failed = detail?.unpack(
    (bytes) => proto.ErrorResourceInitFailed.deserializeBinary(bytes),
    name,
  )
  if (!failed) return undefined
  return { id: failed.getId(), outputs: decodeProperties(failed.getProperties()) }
}
