import proto from "@pulumi/pulumi/proto/provider_pb.js"
import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"

import { isLoopback } from "../base/loopback.ts"
import type { Api, ApiOptions } from "./api.ts"
import { cronTriggers } from "./cron-triggers.ts"
import { databaseIdentity } from "./database-identity.ts"
import { migrations } from "./migrations/migrations.ts"
import { checkInputs, checkResponse } from "./protocol/check.ts"
import { handle } from "./protocol/handler.ts"
import type { EngineLog } from "./protocol/log.ts"
import { decodeProperties, encodeProperties } from "./protocol/properties.ts"
import type { Context, Diff, Properties, Resource } from "./protocol/resource.ts"
import { hostCheck } from "./release/host-check.ts"
import { release } from "./release/release.ts"
import { verification } from "./release/verification.ts"
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

export type ProviderState = {
  signal: AbortSignal
  log: () => EngineLog
  configuration: () => { baseUrl: string }
  api: (options: Required<Pick<ApiOptions, "baseUrl" | "onLimit">>) => Api
}

/** The methods of the protocol that act on one resource. */
export function createOperations(provider: ProviderState) {
  const running = new Set<Promise<unknown>>()
  const contextOf = (request: { getUrn(): string; getTimeout(): number }): Context => {
    const log = provider.log().of(request.getUrn())
    return {
      api: () =>
        provider.api({ ...provider.configuration(), onLimit: (message) => log.info(message) }),
      log,
      signal: provider.signal,
      timeout: request.getTimeout() || undefined,
    }
  }
  const logged = async <Response>(response: Promise<Response>) => {
    try {
      return await response
    } finally {
      await provider.log().delivered()
    }
  }
  const operation = <Request, Response>(act: (request: Request) => Promise<Response>) =>
    handle(async (request: Request) => {
      const run = logged(act(request))
      running.add(run)
      return await run.finally(() => running.delete(run))
    })

  const service = {
    check: handle(async (request: messages.CheckRequest) => {
      const inputs = decodeProperties(request.getNews())
      const problems = checkInputs(resourceOf(request).inputs, inputs)
      if (inputs["connectTo"] !== undefined && !isLoopback(provider.configuration().baseUrl)) {
        const reason = "connectTo is for a baseUrl on this machine; remove it"
        problems.push({ property: "connectTo", reason })
      }
      return checkResponse(request, problems)
    }),

    diff: handle(async (request: messages.DiffRequest) => {
      const olds = decodeProperties(request.getOlds())
      const oldInputs = decodeProperties(request.getOldInputs())
      const inputs = decodeProperties(request.getNews())
      return diffResponse(resourceOf(request).diff({ olds, oldInputs, inputs }))
    }),

    create: operation(async (request: messages.CreateRequest) => {
      const resource = resourceOf(request)
      const inputs = decodeProperties(request.getProperties())
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
      const change = {
        id: request.getId(),
        olds: decodeProperties(request.getOlds()),
        oldInputs: decodeProperties(request.getOldInputs()),
        inputs: decodeProperties(request.getNews()),
      }
      const outputs = request.getPreview()
        ? await resource.preview(change, context)
        : await resource.update(change, context)
      return withOutputs(new proto.UpdateResponse(), resource, outputs)
    }),

    read: operation(async (request: messages.ReadRequest) => {
      const resource = resourceOf(request)
      const state = {
        id: request.getId(),
        outputs: decodeProperties(request.getProperties()),
        inputs: decodeProperties(request.getInputs()),
      }
      const found = await resource.read(state, contextOf(request))
      const response = new proto.ReadResponse()
      // The engine takes an empty response for a resource that is gone.
      if (found === undefined) return response
      response.setId(found.id).setInputs(encodeProperties(found.inputs))
      return withOutputs(response, resource, found.outputs)
    }),

    /** Nothing to undo: databases, versions and hostnames are deleted by their own resources. */
    delete: handle(async () => new emptyProto.Empty()),
  }
  const ended = async () => void (await Promise.allSettled(running))
  return { service, busy: () => running.size > 0, ended }
}

function resourceOf(request: { getUrn(): string }): Resource {
  const type = request.getUrn().split("::")[2]?.split("$").at(-1) ?? ""
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
  response.setProperties(encodeProperties(outputs, secrets))
  response.setRefreshBeforeUpdate(refreshBeforeUpdate ?? false)
  return response
}

function diffResponse(diff: Diff): messages.DiffResponse {
  const response = new proto.DiffResponse()
  const { DIFF_NONE, DIFF_SOME } = proto.DiffResponse.DiffChanges
  const changes = Object.entries(diff)
  response.setChanges(changes.length === 0 ? DIFF_NONE : DIFF_SOME)
  response.setHasdetaileddiff(true)
  for (const [path, kind] of changes) {
    const change = new proto.PropertyDiff()
    change.setKind(kinds[kind])
    change.setInputdiff(true)
    response.getDetaileddiffMap().set(path, change)
    response.addDiffs(path)
    if (kind === "replace") response.addReplaces(path)
  }
  return response
}
