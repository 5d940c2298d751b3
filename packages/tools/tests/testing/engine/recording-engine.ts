import { secretSignature } from "@accounts-stack/pulumi-host/properties"
import grpc from "@grpc/grpc-js"
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import type * as engineTypes from "@pulumi/pulumi/proto/engine_pb.js"
import engineProto from "@pulumi/pulumi/proto/engine_pb.js"
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb.js"
import type * as resourceTypes from "@pulumi/pulumi/proto/resource_pb.js"
import resourceProto from "@pulumi/pulumi/proto/resource_pb.js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"
import structProto, { type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb.js"

type Properties = Record<string, JavaScriptValue>

/** A program's requests, in the order of URNs, without times and stack traces. */
export type Recording = {
  resources: Record<string, object>
  outputs: Record<string, Properties>
  /** Errors and warnings that the program logged. */
  problems: string[]
  /** How often the program said that it has declared everything, after which an engine deletes the rest. */
  signals: number
}

/** Results by type or function: outputs that a real provider would add to the inputs. */
export type Answers = { outputs: Record<string, Properties> }

type Deployment = {
  stack: string
  dryRun: boolean
  answers: Answers
  /** The registration whose connection is lost, from 1. */
  losing?: number
}

type Reply<Response> = grpc.sendUnaryData<Response>
type Call<Request> = { request: Request }

/** Source positions are left out of the recording. */
const placeless = { sourceposition: undefined, stacktrace: undefined, parentstacktracehandle: "" }

/**
 * An engine that creates nothing: it records what a program registers and answers as if everything
 * had been created, so that two runs of the same program can be compared.
 */
export async function createRecordingEngine(options: Deployment) {
  const recording: Recording = { resources: {}, outputs: {}, problems: [], signals: 0 }
  const server = new grpc.Server()
  server.addService(ResourceMonitorService, { ...monitor(recording, options) })
  server.addService(EngineService, { ...engine(recording) })
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = grpc.ServerCredentials.createInsecure()
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return {
    address: `127.0.0.1:${port}`,
    recording: () => sorted(recording),
    [Symbol.dispose]: () => server.forceShutdown(),
  }
}

function monitor(recording: Recording, { stack, dryRun, answers, losing }: Deployment) {
  let count = 0
  return {
    supportsFeature(_: unknown, reply: Reply<resourceTypes.SupportsFeatureResponse>) {
      reply(null, new resourceProto.SupportsFeatureResponse().setHassupport(true))
    },
    registerResource(
      { request }: Call<resourceTypes.RegisterResourceRequest>,
      reply: Reply<resourceTypes.RegisterResourceResponse>,
    ) {
      count += 1
      if (count === losing) return reply({ code: grpc.status.UNAVAILABLE, details: "lost" })
      const urn = urnOf(request, stack)
      if (urn in recording.resources) recording.problems.push(`${urn} was registered twice`)
      const inputs = properties(request.getObject())
      recording.resources[urn] = {
        ...request.toObject(),
        ...placeless,
        ...dependencies(request),
        object: inputs,
      }

      const computed = dryRun || !request.getCustom() ? {} : answers.outputs[request.getType()]
      const secret = request.getAdditionalsecretoutputsList()
      const outputs = Object.entries(computed ?? {}).map(
        ([key, value]): [string, JavaScriptValue] => [
          key,
          secret.includes(key) ? { ...secretSignature, value } : value,
        ],
      )
      const response = new resourceProto.RegisterResourceResponse()
      response.setUrn(urn)
      if (request.getCustom() && !dryRun) response.setId(`id of ${request.getName()}`)
      response.setObject(struct({ ...inputs, ...Object.fromEntries(outputs) }))
      reply(null, response)
    },
    registerResourceOutputs(
      { request }: Call<resourceTypes.RegisterResourceOutputsRequest>,
      reply: Reply<unknown>,
    ) {
      recording.outputs[request.getUrn()] = properties(request.getOutputs())
      reply(null, new empty.Empty())
    },
    signalAndWaitForShutdown(_: unknown, reply: Reply<unknown>) {
      recording.signals += 1
      reply(null, new empty.Empty())
    },
  }
}

function engine(recording: Recording) {
  let root = ""
  const { ERROR, WARNING } = engineProto.LogSeverity
  return {
    getRootResource(_: unknown, reply: Reply<engineTypes.GetRootResourceResponse>) {
      reply(null, new engineProto.GetRootResourceResponse().setUrn(root))
    },
    setRootResource(
      { request }: Call<engineTypes.SetRootResourceRequest>,
      reply: Reply<engineTypes.SetRootResourceResponse>,
    ) {
      root = request.getUrn()
      reply(null, new engineProto.SetRootResourceResponse())
    },
    log({ request }: Call<engineTypes.LogRequest>, reply: Reply<unknown>) {
      const severity = request.getSeverity()
      if (severity === ERROR || severity === WARNING) recording.problems.push(request.getMessage())
      reply(null, new empty.Empty())
    },
  }
}

/** Returns a URN: `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`. */
function urnOf(request: resourceTypes.RegisterResourceRequest, stack: string) {
  const types = request.getParent().split("::")[2]
  const above = types && types !== "pulumi:pulumi:Stack" ? `${types}$` : ""
  return `urn:pulumi:${stack}::accounts::${above}${request.getType()}::${request.getName()}`
}

/** Dependencies arrive in any order, so they are sorted. */
function dependencies(request: resourceTypes.RegisterResourceRequest) {
  const { dependenciesList, propertydependenciesMap } = request.toObject()
  const byProperty = propertydependenciesMap.map(([property, { urnsList }]) => [
    property,
    urnsList.toSorted(),
  ])
  return {
    dependenciesList: dependenciesList.toSorted(),
    propertydependenciesMap: Object.fromEntries(byProperty),
  }
}

function properties(from: structProto.Struct | undefined): Properties {
  return from?.toJavaScript() ?? {}
}

function struct(values: Properties) {
  return structProto.Struct.fromJavaScript(values)
}

/** Independent resources may arrive in any order. */
function sorted({ resources, outputs, ...rest }: Recording): Recording {
  const byKey = <Value>(record: Record<string, Value>) =>
    Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { ...rest, resources: byKey(resources), outputs: byKey(outputs) }
}
