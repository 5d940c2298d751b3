import grpc from "@grpc/grpc-js"
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js"
import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import statusProto from "@pulumi/pulumi/proto/status_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"
import structProto, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js"

import { PartlyDone } from "../host.ts"

/** Properties in the engine's encoding, with its signature marks. */
type Properties = Record<string, unknown>

/** A resource in the engine's state. For an import, only the id is set. */
export type Kept = { id: string; outputs: Properties; inputs: Properties }

type Change = { olds: Properties; oldInputs?: Properties; inputs: Properties }

type More = { preview?: boolean; timeout?: number }

/** Connects as the engine does for each provider of a run. */
export function connectPlugin(port: string | number): ResourceProviderClient {
  const credentials = grpc.credentials.createInsecure()
  // Otherwise two clients of one process share a connection.
  const options = { "grpc.use_local_subchannel_pool": 1 }
  return new ResourceProviderClient(`127.0.0.1:${port}`, credentials, options)
}

/** Calls a provider as the engine does; a type without a module lies in `prefix`. */
export function openPlugin(client: ResourceProviderClient, prefix = "") {
  const urnOf = (type: string) => `urn:pulumi:test::accounts::${prefix}${type}::name`
  return {
    async checkConfig(inputs: Properties) {
      const request = new proto.CheckRequest().setNews(toStruct(inputs))
      return checked(await unary((done) => client.checkConfig(request, done)))
    },

    async configure(args: Properties): Promise<void> {
      const request = new proto.ConfigureRequest().setArgs(toStruct(args))
      await unary((done) => client.configure(request, done))
    },

    async check(type: string, inputs: Properties) {
      const request = new proto.CheckRequest().setUrn(urnOf(type)).setNews(toStruct(inputs))
      return checked(await unary((done) => client.check(request, done)))
    },

    async diff(type: string, { olds, oldInputs, inputs }: Change) {
      const request = new proto.DiffRequest()
        .setUrn(urnOf(type))
        .setOlds(toStruct(olds))
        .setOldInputs(oldInputs && toStruct(oldInputs))
        .setNews(toStruct(inputs))
      const response = await unary<messages.DiffResponse>((done) => client.diff(request, done))
      return {
        changes: response.getChanges() === proto.DiffResponse.DiffChanges.DIFF_SOME,
        paths: response.getDiffsList().toSorted((a, b) => a.localeCompare(b)),
        replaces: response.getReplacesList(),
      }
    },

    async create(type: string, inputs: Properties, options: More = {}) {
      const request = new proto.CreateRequest()
        .setUrn(urnOf(type))
        .setProperties(toStruct(inputs))
        .setPreview(options.preview ?? false)
        .setTimeout(options.timeout ?? 0)
      const response = await unary<messages.CreateResponse>((done) => client.create(request, done))
      return { id: response.getId(), outputs: fromStruct(response.getProperties()) }
    },

    async update(type: string, change: Change & { id: string }, options: More = {}) {
      const request = new proto.UpdateRequest()
        .setUrn(urnOf(type))
        .setId(change.id)
        .setOlds(toStruct(change.olds))
        .setOldInputs(change.oldInputs && toStruct(change.oldInputs))
        .setNews(toStruct(change.inputs))
        .setPreview(options.preview ?? false)
        .setTimeout(options.timeout ?? 0)
      const response = await unary<messages.UpdateResponse>((done) => client.update(request, done))
      return fromStruct(response.getProperties())
    },

    /** Undefined when the resource is gone. */
    async read(type: string, { id, outputs, inputs }: Kept): Promise<Kept | undefined> {
      const request = new proto.ReadRequest()
        .setUrn(urnOf(type))
        .setId(id)
        .setProperties(toStruct(outputs))
        .setInputs(toStruct(inputs))
      const response = await unary<messages.ReadResponse>((done) => client.read(request, done))
      if (response.getId() === "") return undefined
      return {
        id: response.getId(),
        outputs: fromStruct(response.getProperties()),
        inputs: fromStruct(response.getInputs()),
      }
    },

    async remove(type: string, { id, outputs, inputs }: Kept): Promise<void> {
      const request = new proto.DeleteRequest()
        .setUrn(urnOf(type))
        .setId(id)
        .setProperties(toStruct(outputs))
        .setOldInputs(toStruct(inputs))
      await unary((done) => client.delete(request, done))
    },

    async cancel(): Promise<void> {
      await unary((done) => client.cancel(new emptyProto.Empty(), done))
    },
  }
}

function unary<Response>(
  send: (done: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    send((error, response) => (error ? reject(failureOf(error)) : resolve(response)))
  })
}

/** A failed operation as the engine sees it: google.rpc.Status in a binary trailer has outputs to keep. */
function failureOf(error: grpc.ServiceError): Error {
  const [packed] = error.metadata.get("grpc-status-details-bin")
  const [detail] =
    packed instanceof Buffer ? statusProto.Status.deserializeBinary(packed).getDetailsList() : []
  const failed = detail?.unpack(
    (bytes) => proto.ErrorResourceInitFailed.deserializeBinary(bytes),
    "pulumirpc.ErrorResourceInitFailed",
  )
  if (!failed) return new Error(error.details, { cause: error })
  const outputs = fromStruct(failed.getProperties())
  return new PartlyDone(error.details, { id: failed.getId(), outputs, cause: error })
}

function checked(response: messages.CheckResponse) {
  const problems = response.getFailuresList()
  const failures = Object.fromEntries(
    problems.map((problem) => [problem.getProperty(), problem.getReason()]),
  )
  return { failures, inputs: fromStruct(response.getInputs()) }
}

function toStruct(properties: Properties): Struct {
  // The round trip drops `undefined`, as the engine does.
  return structProto.Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)))
}

function fromStruct(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {}
}
