import {
  checkResponse,
  diffResponse,
  handle,
  hostCalls,
  type EngineSettings as KnownToHost,
  type Provider,
  serveProcess,
  typeOf,
} from "@accounts-stack/pulumi-host"
import { decodeProperties, encodeProperties } from "@accounts-stack/pulumi-host/properties"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"
import * as z from "zod"

import { isLoopback } from "../base/loopback.ts"
import { conflictingBaseUrls, nameUser, useProxies } from "../base/process-environment.ts"
import { BaseUrl, createApi } from "./api.ts"
import { cronTriggers } from "./cron-triggers.ts"
import { databaseIdentity } from "./database-identity.ts"
import { migrations } from "./migrations/migrations.ts"
import { hostCheck } from "./release/host-check.ts"
import { release } from "./release/release.ts"
import { verification } from "./release/verification.ts"
import { checkInputs, type Context, type Diff, type Properties, type Resource } from "./resource.ts"
import { secret } from "./secret.ts"
import { version } from "./version/version.ts"

const resources: Record<string, Resource> = {
  "accounts:index:CronTriggers": cronTriggers,
  "accounts:index:DatabaseIdentity": databaseIdentity,
  "accounts:index:HostCheck": hostCheck,
  "accounts:index:Migrations": migrations,
  "accounts:index:Release": release,
  "accounts:index:Secret": secret,
  "accounts:index:Verification": verification,
  "accounts:index:Version": version,
}

const kinds = {
  add: proto.PropertyDiff.Kind.ADD,
  update: proto.PropertyDiff.Kind.UPDATE,
  delete: proto.PropertyDiff.Kind.DELETE,
  replace: proto.PropertyDiff.Kind.UPDATE_REPLACE,
}

const Configuration = z.strictObject({ baseUrl: BaseUrl })

export type EngineSettings = KnownToHost<z.infer<typeof Configuration>>

/** Starts the provider as a process of the engine. */
export async function serve(): Promise<void> {
  nameUser()
  useProxies()
  await serveProcess((processInfo) =>
    createProvider({ engineSettings: processInfo, ofEngine: true }),
  )
}

export function createProvider({
  engineSettings = {},
  environment = process.env,
  ofEngine = false,
}: {
  engineSettings?: EngineSettings
  /** Whether the engine started this provider itself, so that no command checks its plan. */
  ofEngine?: boolean
  /** Contains the token for Cloudflare's API. */
  environment?: NodeJS.ProcessEnv
}): Provider {
  const cancelled = new AbortController()
  const cancel = () => cancelled.abort(new Error("the operation was cancelled"))
  const host = hostCalls(engineSettings, { name: "accounts", version: "0.1.0" })
  const running = new Set<Promise<unknown>>()

  const configuration = () => {
    if (engineSettings.configuration !== undefined) return engineSettings.configuration
    throw new Error("the accounts provider has no configuration: give it a baseUrl")
  }
  const contextOf = (request: { getUrn(): string; getTimeout(): number }): Context => {
    const log = host.log().of(request.getUrn())
    const onLimit = (message: string) => log.info(message)
    return {
      api: () => {
        const baseUrl = currentBaseUrl(configuration().baseUrl, environment)
        const token = environment["CLOUDFLARE_API_TOKEN"]
        if (token) return createApi({ baseUrl, token, onLimit })
        throw new Error("CLOUDFLARE_API_TOKEN is not set: export it and run again")
      },
      log,
      ofEngine,
      signal: cancelled.signal,
      timeout: request.getTimeout() || undefined,
    }
  }
  const logged = async <Response>(response: Promise<Response>) => {
    try {
      return await response
    } finally {
      await host.log().delivered()
    }
  }
  const operation = <Request, Response>(act: (request: Request) => Promise<Response>) =>
    handle(async (request: Request) => {
      const run = logged(act(request))
      running.add(run)
      return await run.finally(() => running.delete(run))
    })

  const service = {
    ...host.service,

    checkConfig: handle((request: messages.CheckRequest) =>
      checkResponse(request, checkInputs(Configuration, configurationIn(request.getNews()))),
    ),

    // An update makes the engine use the new base URL immediately. A replacement would also replace every
    // resource of this provider, but each resource checks what exists at the new URL.
    diffConfig: handle((request: messages.DiffRequest) => {
      const before = configurationIn(request.getOldInputs() ?? request.getOlds())["baseUrl"]
      const isSameUrl = before === configurationIn(request.getNews())["baseUrl"]
      const { DIFF_NONE, DIFF_SOME } = proto.DiffResponse.DiffChanges
      return new proto.DiffResponse().setChanges(isSameUrl ? DIFF_NONE : DIFF_SOME)
    }),

    configure: handle((request: messages.ConfigureRequest) => {
      engineSettings.configuration = Configuration.parse(configurationIn(request.getArgs()))
      const baseUrl = currentBaseUrl(engineSettings.configuration.baseUrl, environment)
      const [conflict] = conflictingBaseUrls(baseUrl, environment)
      if (conflict !== undefined) throw new Error(conflict)
      return new proto.ConfigureResponse().setSupportspreview(true)
    }),

    cancel: handle(() => {
      cancel()
      return new emptyProto.Empty()
    }),

    check: handle((request: messages.CheckRequest) => {
      const inputs = decodeProperties(request.getNews()).values
      const problems = checkInputs(resourceOf(request).inputs, inputs)
      if (inputs["connectTo"] !== undefined && !isLoopback(configuration().baseUrl)) {
        const reason = "connectTo is for a baseUrl on this machine; remove it"
        problems.push({ property: "connectTo", reason })
      }
      return checkResponse(request, problems)
    }),

    diff: handle((request: messages.DiffRequest) =>
      detailedResponse(resourceOf(request).diff(changeIn(request))),
    ),

    create: operation(async (request: messages.CreateRequest) => {
      const resource = resourceOf(request)
      const inputs = decodeProperties(request.getProperties()).values
      const context = contextOf(request)
      const response = new proto.CreateResponse()
      if (request.getPreview()) {
        return withOutputs(response, resource, await resource.preview({ inputs }, context))
      }
      const { id, outputs } = await resource.create({ inputs }, context)
      return withOutputs(response.setId(id), resource, outputs)
    }),

    update: operation(async (request: messages.UpdateRequest) => {
      const resource = resourceOf(request)
      const context = contextOf(request)
      const change = { id: request.getId(), ...changeIn(request) }
      const outputs = request.getPreview()
        ? await resource.preview(change, context)
        : await resource.update(change, context)
      return withOutputs(new proto.UpdateResponse(), resource, outputs)
    }),

    read: operation(async (request: messages.ReadRequest) => {
      const resource = resourceOf(request)
      const state = {
        id: request.getId(),
        outputs: decodeProperties(request.getProperties()).values,
        inputs: decodeProperties(request.getInputs()).values,
      }
      const freshState = await resource.read(state, contextOf(request))
      const response = new proto.ReadResponse()
      // The engine reads an empty response as a deleted resource.
      if (freshState === undefined) return response
      response.setId(freshState.id).setInputs(encodeProperties(freshState.inputs))
      return withOutputs(response, resource, freshState.outputs)
    }),

    /** Nothing to undo: databases, versions and hostnames are deleted by their own resources. */
    delete: handle(() => new emptyProto.Empty()),
  }

  return {
    service,
    busy: () => running.size > 0,
    stop: async () => {
      cancel()
      await Promise.allSettled(running)
    },
  }
}

/**
 * Prefers the environment's URL for a local Cloudflare. Before the program runs, the engine uses the URL
 * in state, and a local Cloudflare may have moved to another port since.
 */
function currentBaseUrl(configured: string, environment: NodeJS.ProcessEnv): string {
  const { CLOUDFLARE_BASE_URL: current = "" } = environment
  return isLoopback(configured) && isLoopback(current) ? current : configured
}

/** Drops the keys that the engine adds to a provider's inputs. */
function configurationIn(message: Parameters<typeof decodeProperties>[0]): Properties {
  const {
    version: _version,
    pluginDownloadURL: _url,
    __internal,
    ...properties
  } = decodeProperties(message).values
  return properties
}

function changeIn(request: messages.DiffRequest | messages.UpdateRequest) {
  return {
    olds: decodeProperties(request.getOlds()).values,
    oldInputs: decodeProperties(request.getOldInputs()).values,
    inputs: decodeProperties(request.getNews()).values,
  }
}

function resourceOf(request: { getUrn(): string }): Resource {
  const type = typeOf(request.getUrn())
  const resource = resources[type]
  if (resource !== undefined) return resource
  throw new Error(`the accounts provider has no resource type "${type}"`)
}

type WithOutputs = messages.CreateResponse | messages.UpdateResponse | messages.ReadResponse

function withOutputs<Response extends WithOutputs>(
  response: Response,
  { secrets, refreshBeforeUpdate }: Resource,
  outputs: Properties,
): Response {
  response.setProperties(encodeProperties(outputs, new Set(secrets)))
  response.setRefreshBeforeUpdate(refreshBeforeUpdate ?? false)
  return response
}

function detailedResponse(diff: Diff): messages.DiffResponse {
  const changed = Object.keys(diff)
  const replaces = changed.filter((path) => diff[path] === "replace")
  const response = diffResponse({ changed, replaces }).setHasdetaileddiff(true)
  for (const [path, kind] of Object.entries(diff)) {
    const change = new proto.PropertyDiff().setKind(kinds[kind]).setInputdiff(true)
    response.getDetaileddiffMap().set(path, change)
  }
  return response
}
