import pluginProto, { type PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"
import * as z from "zod"

import { isLoopback } from "../base/loopback.ts"
import { foreignBaseUrls } from "../base/process-environment.ts"
import { BaseUrl, createApi } from "./api.ts"
import { createOperations } from "./operations.ts"
import { checkInputs, checkResponse } from "./protocol/check.ts"
import { handle } from "./protocol/handler.ts"
import { createLog } from "./protocol/log.ts"
import { decodeProperties } from "./protocol/properties.ts"

const version = "0.1.0"

/** Bytes: the engine's own limit. */
export const maxMessage = 400 * 1024 * 1024

const Configuration = z.strictObject({ baseUrl: BaseUrl })

/** What the engine has said of itself and of the stack. */
export type Known = {
  /** Its address, for the log. */
  engine?: string | undefined
  configuration?: z.infer<typeof Configuration>
}

/**
 * The gRPC service that the engine calls (pulumirpc.ResourceProvider). `@pulumi/pulumi/provider`
 * would be shorter, but it hides configuration, previews and per-property diffs from the resources.
 */
export function createProvider({
  known = {},
  environment = process.env,
}: {
  known?: Known
  /** Has the token of Cloudflare's API. */
  environment?: NodeJS.ProcessEnv
}) {
  const cancelled = new AbortController()
  const cancel = () => cancelled.abort(new Error("the operation was cancelled"))
  let log = createLog(known.engine)

  const operations = createOperations({
    signal: cancelled.signal,
    log: () => log,
    configuration: () => {
      if (known.configuration !== undefined) return known.configuration
      throw new Error("the accounts provider has no configuration: give it a baseUrl")
    },
    api: ({ baseUrl, onLimit }) => {
      const token = environment["CLOUDFLARE_API_TOKEN"]
      if (token) return createApi({ baseUrl: currentBaseUrl(baseUrl, environment), token, onLimit })
      throw new Error("CLOUDFLARE_API_TOKEN is not set: export it and run again")
    },
  })

  /** grpc-js answers all other methods: they are not implemented. */
  const service = {
    ...operations.service,
    checkConfig: handle(async (request: messages.CheckRequest) => {
      const inputs = configurationOf(decodeProperties(request.getNews()))
      return checkResponse(request, checkInputs(Configuration, inputs))
    }),
    // An update makes the engine use the new base URL at once. A replacement would replace every
    // resource of this provider, too; they find out by themselves what exists at the new URL.
    diffConfig: handle(async (request: messages.DiffRequest) => {
      const { DIFF_NONE, DIFF_SOME } = proto.DiffResponse.DiffChanges
      const [before, after] = [request.getOldInputs() ?? request.getOlds(), request.getNews()]
      const same =
        configurationOf(decodeProperties(before))["baseUrl"] ===
        configurationOf(decodeProperties(after))["baseUrl"]
      return new proto.DiffResponse().setChanges(same ? DIFF_NONE : DIFF_SOME)
    }),
    configure: handle(async (request: messages.ConfigureRequest) => {
      const given = Configuration.parse(configurationOf(decodeProperties(request.getArgs())))
      known.configuration = given
      const baseUrl = currentBaseUrl(given.baseUrl, environment)
      const [foreign] = foreignBaseUrls(baseUrl, environment)
      if (foreign !== undefined) throw new Error(foreign)
      const response = new proto.ConfigureResponse()
      response.setSupportspreview(true)
      return response
    }),
    getSchema: handle(async () => {
      const response = new proto.GetSchemaResponse()
      response.setSchema(JSON.stringify({ name: "accounts", version }))
      return response
    }),
    getPluginInfo: handle(async () => {
      const response = new pluginProto.PluginInfo()
      response.setVersion(version)
      return response
    }),
    attach: handle(async (request: PluginAttach) => {
      known.engine = request.getAddress()
      log = createLog(known.engine)
      return new emptyProto.Empty()
    }),
    cancel: handle(async () => {
      cancel()
      return new emptyProto.Empty()
    }),
  }
  return {
    service,
    busy: operations.busy,
    /** Cancels what runs and waits for its end. */
    stop: async () => {
      cancel()
      await operations.ended()
    },
  }
}

/**
 * Before the program runs, the engine reads resources at the URL in state. A local Cloudflare may
 * listen at another port by now, which the environment of a local stack says.
 */
function currentBaseUrl(configured: string, environment: NodeJS.ProcessEnv): string {
  const { CLOUDFLARE_BASE_URL: current = "" } = environment
  return isLoopback(configured) && isLoopback(current) ? current : configured
}

/** Drops the keys that the engine adds to a provider's inputs. */
function configurationOf(inputs: Record<string, unknown>): Record<string, unknown> {
  const { version: _version, pluginDownloadURL: _url, __internal, ...own } = inputs
  return own
}
