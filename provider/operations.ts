import proto from "@pulumi/pulumi/proto/provider_pb.js"
import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js"

import { isLoopback } from "../loopback.ts"
import type { Api } from "./api.ts"
import { migrations } from "./migrations/migrations.ts"
import { answer } from "./protocol/answer.ts"
import { checkInputs, checkResponse } from "./protocol/check.ts"
import type { EngineLog } from "./protocol/log.ts"
import { decode, encode } from "./protocol/property.ts"
import type { Context, Diff, Resource } from "./protocol/resource.ts"
import { release } from "./release/release.ts"
import { verification } from "./release/verification.ts"
import { secret } from "./secret.ts"

const resources: Record<string, Resource> = {
  "accounts:index:Migrations": migrations,
  "accounts:index:Release": release,
  "accounts:index:Secret": secret,
  "accounts:index:Verification": verification,
}

const kinds = {
  add: proto.PropertyDiff.Kind.ADD,
  update: proto.PropertyDiff.Kind.UPDATE,
  replace: proto.PropertyDiff.Kind.UPDATE_REPLACE,
}

export type Surroundings = {
  signal: AbortSignal
  log: () => EngineLog
  configuration: () => { baseUrl: string }
  api: (configuration: { baseUrl: string }) => Api
}

/** The methods of the protocol that are about one resource. */
export function createOperations(surroundings: Surroundings) {
  let underWay = 0
  const contextOf = (request: { getUrn(): string; getTimeout(): number }): Context => ({
    api: () => surroundings.api(surroundings.configuration()),
    log: surroundings.log().of(request.getUrn()),
    signal: surroundings.signal,
    timeout: request.getTimeout() || undefined,
  })
  const operation = <Request, Response>(act: (request: Request) => Promise<Response>) =>
    answer(async (request: Request) => {
      underWay += 1
      try {
        return await act(request)
      } finally {
        await surroundings.log().delivered()
        underWay -= 1
      }
    })

  const service = {
    check: answer(async (request: messages.CheckRequest) => {
      const inputs = decode(request.getNews())
      const failures = checkInputs(resourceOf(request).inputs, inputs)
      if (inputs["connectTo"] !== undefined && !isLoopback(surroundings.configuration().baseUrl)) {
        const reason = "connectTo is for a baseUrl on this machine; remove it"
        failures.push({ property: "connectTo", reason })
      }
      return checkResponse(request, failures)
    }),

    diff: answer(async (request: messages.DiffRequest) => {
      const olds = decode(request.getOlds())
      const oldInputs = decode(request.getOldInputs())
      const inputs = decode(request.getNews())
      return diffResponse(resourceOf(request).diff({ olds, oldInputs, inputs }))
    }),

    create: operation(async (request: messages.CreateRequest) => {
      const resource = resourceOf(request)
      const inputs = decode(request.getProperties())
      const context = contextOf(request)
      const response = new proto.CreateResponse()
      if (request.getPreview()) {
        const outputs = await resource.preview({ inputs }, context)
        response.setProperties(encode(outputs, resource.secrets))
        return response
      }
      const { id, outputs } = await resource.create({ inputs }, context)
      response.setId(id)
      response.setProperties(encode(outputs, resource.secrets))
      return response
    }),

    update: operation(async (request: messages.UpdateRequest) => {
      const resource = resourceOf(request)
      const context = contextOf(request)
      const change = {
        id: request.getId(),
        olds: decode(request.getOlds()),
        oldInputs: decode(request.getOldInputs()),
        inputs: decode(request.getNews()),
      }
      const outputs = request.getPreview()
        ? await resource.preview(change, context)
        : await resource.update(change, context)
      const response = new proto.UpdateResponse()
      response.setProperties(encode(outputs, resource.secrets))
      return response
    }),

    read: operation(async (request: messages.ReadRequest) => {
      const resource = resourceOf(request)
      const state = {
        id: request.getId(),
        outputs: decode(request.getProperties()),
        inputs: decode(request.getInputs()),
      }
      const found = await resource.read(state, contextOf(request))
      const response = new proto.ReadResponse()
      // An empty answer tells the engine that the resource is gone.
      if (found === undefined) return response
      response.setId(found.id)
      response.setInputs(encode(found.inputs))
      response.setProperties(encode(found.outputs, resource.secrets))
      return response
    }),

    /** Nothing to undo: databases, versions and hostnames are deleted by their own resources. */
    delete: answer(async () => new emptyProto.Empty()),
  }
  return { service, busy: () => underWay > 0 }
}

function resourceOf(request: { getUrn(): string }): Resource {
  const type = request.getUrn().split("::")[2]?.split("$").at(-1) ?? ""
  const resource = resources[type]
  if (resource !== undefined) return resource
  throw new Error(`the accounts provider has no resource type "${type}"`)
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
