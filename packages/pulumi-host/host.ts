import grpc from "@grpc/grpc-js"
import pluginProto, { type PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js"
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import statusProto from "@pulumi/pulumi/proto/status_pb.js"
import anyProto from "google-protobuf/google/protobuf/any_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"

import { createLog, type EngineLog } from "./log.ts"
import { encodeProperties } from "./properties.ts"

/** The engine's information about itself and the stack. */
export type EngineSettings<Configuration> = {
  /** The engine's address, for the log. */
  engine?: string | undefined
  configuration?: Configuration
}

/**
 * The methods that the engine calls (pulumirpc.ResourceProvider); grpc-js answers a call without a handler
 * as unimplemented.
 */
export type Provider = {
  service: grpc.UntypedServiceImplementation
  /** Whether an operation is running that must end before the process exits. */
  busy: () => boolean
  /** Cancels running operations and waits until they end. */
  stop: () => Promise<void>
}

/** Thrown when an operation is only partly done: the engine keeps the outputs and retries at the next `up`. */
export class PartlyDone extends Error {
  readonly id: string
  readonly outputs: Record<string, unknown>

  constructor(
    message: string,
    { id, outputs, ...options }: ErrorOptions & Pick<PartlyDone, "id" | "outputs">,
  ) {
    super(message, options)
    this.id = id
    this.outputs = outputs
  }
}

/** Makes a unary gRPC method from a function. The engine shows the message of a thrown error. */
export function handle<Request, Response>(
  act: (request: Request) => Response | Promise<Response>,
): grpc.handleUnaryCall<Request, Response> {
  return (call, callback) => {
    const respond = async () => {
      try {
        callback(null, await act(call.request))
      } catch (error) {
        callback(statusOf(error))
      }
    }
    void respond()
  }
}

function statusOf(error: unknown): Partial<grpc.StatusObject> {
  const details = error instanceof Error ? error.message : String(error)
  const code = grpc.status.UNKNOWN
  if (!(error instanceof PartlyDone)) return { code, details }
  return { code, details, metadata: initFailed(error) }
}

/** Encodes gRPC's rich error model, which the engine reads but grpc-js cannot write. */
function initFailed({ message, id, outputs }: PartlyDone): grpc.Metadata {
  const failure = new proto.ErrorResourceInitFailed()
    .setId(id)
    .setProperties(encodeProperties(outputs))
    .setReasonsList([message])
    // The engine reads the resource's actual state before it retries.
    .setRefreshBeforeUpdate(true)
  const detail = new anyProto.Any()
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed")
  const status = new statusProto.Status().setCode(grpc.status.UNKNOWN).setMessage(message)
  status.addDetails(detail)
  const metadata = new grpc.Metadata()
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()))
  return metadata
}

/** Returns the calls that every provider answers the same way, and the engine's log. */
export function hostCalls(
  resources: EngineSettings<unknown>,
  plugin: { name: string; version: string },
) {
  let log = createLog(resources.engine)
  const service = {
    getPluginInfo: handle(() => new pluginProto.PluginInfo().setVersion(plugin.version)),
    getSchema: handle(() => new proto.GetSchemaResponse().setSchema(JSON.stringify(plugin))),
    attach: handle((request: PluginAttach) => {
      resources.engine = request.getAddress()
      log = createLog(resources.engine)
      return new emptyProto.Empty()
    }),
  }
  return { service, log: (): EngineLog => log }
}

/** Reads TYPE from `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`. */
export function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? ""
}

/** `property` is a path, such as `bindings[0].text`. */
export type InputProblem = { property: string; reason: string }

export function checkResponse(request: messages.CheckRequest, problems: InputProblem[]) {
  const failures = problems.map(({ property, reason }) =>
    new proto.CheckFailure().setProperty(property).setReason(reason),
  )
  return new proto.CheckResponse().setInputs(request.getNews()).setFailuresList(failures)
}

export function diffResponse({ changed, replaces }: { changed: string[]; replaces: string[] }) {
  const { DIFF_NONE, DIFF_SOME } = proto.DiffResponse.DiffChanges
  return new proto.DiffResponse()
    .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList(changed)
    .setReplacesList(replaces)
}

export function createServer(service: grpc.UntypedServiceImplementation): grpc.Server {
  // The engine's own limit, in bytes. Messages are large: a version contains its modules.
  const maxMessage = 400 * 1024 * 1024
  const server = new grpc.Server({
    "grpc.max_receive_message_length": maxMessage,
    "grpc.max_send_message_length": maxMessage,
  })
  server.addService(ResourceProviderService, service)
  return server
}

export function bind(server: grpc.Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  )
  return promise
}

/** Entry point that the engine starts: prints the port, the only line on stdout. */
export async function serveProcess(
  create: (known: { engine: string | undefined }) => Provider,
): Promise<void> {
  // Read before the engine knows the port: after that the engine may exit at any moment.
  const parent = process.ppid
  const args = process.argv.slice(2)
  // The engine may pass log and tracing flags before its address.
  const engine = args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--tracing")
  const { service, busy } = create({ engine })
  const port = await bind(createServer(service))
  process.stdout.write(`${port}\n`)
  // A killed engine cannot stop this process, so it exits by itself, after running operations.
  const watch = setInterval(() => {
    if (process.ppid !== parent && !busy()) process.exit(0)
  }, 1000)
  watch.unref()
}
