import pluginProto from "@pulumi/pulumi/proto/plugin_pb.js"
import type { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js"
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"
import * as z from "zod"

import { BaseUrl, createApi } from "./api.ts"
import { createOperations } from "./operations.ts"
import { answer, unimplemented, unimplementedStream } from "./protocol/answer.ts"
import { checkInputs, checkResponse } from "./protocol/check.ts"
import { createLog } from "./protocol/log.ts"
import { decode } from "./protocol/property.ts"

const version = "0.1.0"

const Configuration = z.strictObject({ baseUrl: BaseUrl })

/**
 * The provider as the engine calls it (pulumirpc.ResourceProvider). Not built on
 * `@pulumi/pulumi/provider`: that one keeps configuration, previews and per-property diffs from
 * the resources.
 */
export function createProvider(options: { engine: string | undefined }): {
  service: IResourceProviderServer
  busy: () => boolean
} {
  const cancelled = new AbortController()
  let log = createLog(options.engine)
  let configuration: z.infer<typeof Configuration> | undefined

  const operations = createOperations({
    signal: cancelled.signal,
    log: () => log,
    configuration: () => {
      if (configuration !== undefined) return configuration
      throw new Error("the accounts provider has no configuration: give it a baseUrl")
    },
    api: ({ baseUrl }) => {
      const token = process.env["CLOUDFLARE_API_TOKEN"]
      if (token) return createApi({ baseUrl, token })
      throw new Error("CLOUDFLARE_API_TOKEN is not set: export it and run again")
    },
  })

  const service: IResourceProviderServer = {
    ...operations.service,
    checkConfig: answer(async (request: messages.CheckRequest) => {
      const inputs = configurationOf(decode(request.getNews()))
      return checkResponse(request, checkInputs(Configuration, inputs))
    }),
    // An update makes the engine use the new base URL at once. Not a replacement: that would replace
    // every resource below, and what is in the other place is found out by the resources themselves.
    diffConfig: answer(async (request: messages.DiffRequest) => {
      const { DIFF_NONE, DIFF_SOME } = proto.DiffResponse.DiffChanges
      const [before, after] = [request.getOldInputs() ?? request.getOlds(), request.getNews()]
      const same =
        configurationOf(decode(before))["baseUrl"] === configurationOf(decode(after))["baseUrl"]
      return new proto.DiffResponse().setChanges(same ? DIFF_NONE : DIFF_SOME)
    }),
    configure: answer(async (request: messages.ConfigureRequest) => {
      configuration = Configuration.parse(configurationOf(decode(request.getArgs())))
      const response = new proto.ConfigureResponse()
      response.setSupportspreview(true)
      return response
    }),
    getSchema: answer(async () => {
      const response = new proto.GetSchemaResponse()
      response.setSchema(JSON.stringify({ name: "accounts", version }))
      return response
    }),
    getPluginInfo: answer(async () => {
      const response = new pluginProto.PluginInfo()
      response.setVersion(version)
      return response
    }),
    attach: answer(async (request: PluginAttach) => {
      log = createLog(request.getAddress())
      return new emptyProto.Empty()
    }),
    cancel: answer(async () => {
      cancelled.abort(new Error("the operation was cancelled"))
      return new emptyProto.Empty()
    }),
    handshake: unimplemented("Handshake"),
    parameterize: unimplemented("Parameterize"),
    invoke: unimplemented("Invoke"),
    call: unimplemented("Call"),
    construct: unimplemented("Construct"),
    getMapping: unimplemented("GetMapping"),
    getMappings: unimplemented("GetMappings"),
    list: unimplementedStream("List"),
  }
  return { service, busy: operations.busy }
}

/** The engine adds keys of its own to a provider's inputs. */
function configurationOf(inputs: Record<string, unknown>): Record<string, unknown> {
  const { version: _version, pluginDownloadURL: _url, __internal, ...own } = inputs
  return own
}
