import { type handleUnaryCall, type ServiceError, status } from "@grpc/grpc-js"
import plugin from "@pulumi/pulumi/proto/plugin_pb.js"
import protocol from "@pulumi/pulumi/proto/provider_pb.js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"

import { check, type Failure } from "./check.ts"
import { type Client, createApi } from "./client.ts"
import { baseUrlProblem, checkConfiguration, configuration } from "./configuration.ts"
import type { Change } from "./difference.ts"
import type { Log } from "./engine.ts"
import { importInputs, refreshInputs, sameLengths } from "./inputs.ts"
import * as lifecycle from "./lifecycle.ts"
import { type Resource, resources } from "./resources.ts"
import { secretPaths } from "./secrets.ts"
import { equal, type Values } from "./value.ts"
import { type Decoded, decode, encode } from "./wire.ts"
import { checkZoneArgs, getZone, getZoneToken } from "./zone.ts"

type Options = { version: string; log: Log }

/** The engine's side of the provider: one handler per call of the plugin protocol. */
export function createProvider({ version, log }: Options) {
  const cancelled = new AbortController()
  let connect = (): Client => {
    throw new Error("The provider is not configured")
  }

  return {
    handshake: unary<protocol.ProviderHandshakeRequest, protocol.ProviderHandshakeResponse>(() =>
      new protocol.ProviderHandshakeResponse().setAcceptSecrets(true),
    ),

    getPluginInfo: unary<empty.Empty, plugin.PluginInfo>(() =>
      new plugin.PluginInfo().setVersion(version),
    ),

    getSchema: unary<protocol.GetSchemaRequest, protocol.GetSchemaResponse>(() =>
      new protocol.GetSchemaResponse().setSchema(JSON.stringify({ name: "cloudflare", version })),
    ),

    checkConfig: unary<protocol.CheckRequest, protocol.CheckResponse>((request) => {
      const failures = checkConfiguration(decode(request.getNews()).values, process.env)
      return checkResponse(request, failures)
    }),

    // Another address or token changes who is asked, not what is there: never a replacement.
    diffConfig: unary<protocol.DiffRequest, protocol.DiffResponse>((request) => {
      const { DIFF_NONE, DIFF_SOME } = protocol.DiffResponse.DiffChanges
      const same = equal(decode(request.getOlds()).values, decode(request.getNews()).values)
      return new protocol.DiffResponse().setChanges(same ? DIFF_NONE : DIFF_SOME)
    }),

    configure: unary<protocol.ConfigureRequest, protocol.ConfigureResponse>((request) => {
      const { values } = decode(request.getArgs())
      // A provider that comes out of state was never checked.
      const problem = baseUrlProblem(values, process.env)
      if (problem) throw new Error(`cloudflare:baseUrl ${problem}`)
      connect = once(() => {
        const settings = configuration(values, process.env)
        const said = `stand-in for the Cloudflare provider ${version}, at ${settings.baseUrl}`
        process.stderr.write(`${said}\n`)
        log.info(said)
        return createApi({ ...settings, signal: cancelled.signal })
      })
      return new protocol.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true)
    }),

    check: unary<protocol.CheckRequest, protocol.CheckResponse>((request) => {
      const { fields } = resourceOf(request.getUrn())
      return checkResponse(request, check(fields, decode(request.getNews()).values))
    }),

    diff: unary<protocol.DiffRequest, protocol.DiffResponse>((request) => {
      const { changes } = lifecycle.plan(resourceOf(request.getUrn()), {
        config: decode(request.getNews()).values,
        prior: decode(request.getOlds()).values,
      })
      return diffResponse(changes)
    }),

    create: unary<protocol.CreateRequest, protocol.CreateResponse>(async (request) => {
      const resource = resourceOf(request.getUrn())
      const { values: config, secrets } = decode(request.getProperties())
      const response = new protocol.CreateResponse()
      if (resource.warning) log.warn(resource.warning, request.getUrn())
      if (request.getPreview()) {
        const { proposed } = lifecycle.plan(resource, { config })
        return response.setProperties(encodeState(resource, proposed, secrets))
      }
      const asked = { config, subject: subjectOf(request.getUrn()) }
      const { id, state } = await lifecycle.create(resource, asked, connect())
      return response.setId(id).setProperties(encodeState(resource, state, secrets))
    }),

    read: unary<protocol.ReadRequest, protocol.ReadResponse>(async (request) => {
      const resource = resourceOf(request.getUrn())
      const prior = decode(request.getProperties())
      const inputs = decode(request.getInputs())
      const existing = { id: request.getId(), state: prior.values }
      const found = await lifecycle.read(resource, existing, connect())
      const response = new protocol.ReadResponse()
      if (!found) return response
      return response
        .setId(found.id)
        .setProperties(encodeState(resource, found.state, prior.secrets))
        .setInputs(encodeInputs(resource, inputs, found.state))
    }),

    update: unary<protocol.UpdateRequest, protocol.UpdateResponse>(async (request) => {
      const resource = resourceOf(request.getUrn())
      const { values: config, secrets } = decode(request.getNews())
      const { values: state } = decode(request.getOlds())
      const response = new protocol.UpdateResponse()
      if (request.getPreview()) {
        const { proposed } = lifecycle.plan(resource, { config, prior: state })
        return response.setProperties(encodeState(resource, proposed, secrets))
      }
      const existing = { id: request.getId(), state, config }
      const updated = await lifecycle.update(resource, existing, connect())
      return response.setProperties(encodeState(resource, updated, secrets))
    }),

    delete: unary<protocol.DeleteRequest, empty.Empty>(async (request) => {
      const existing = { id: request.getId(), state: decode(request.getProperties()).values }
      await lifecycle.remove(resourceOf(request.getUrn()), existing, connect())
      return new empty.Empty()
    }),

    invoke: unary<protocol.InvokeRequest, protocol.InvokeResponse>(async (request) => {
      if (request.getTok() !== getZoneToken) throw unknownToken("function", request.getTok())
      const { values } = decode(request.getArgs())
      const response = new protocol.InvokeResponse()
      const failures = checkZoneArgs(values)
      if (failures.length > 0) return response.setFailuresList(failures.map(failureMessage))
      return response.setReturn(encode(await getZone(values, connect())))
    }),

    cancel: unary<empty.Empty, empty.Empty>(() => {
      cancelled.abort()
      return new empty.Empty()
    }),

    attach: unary<plugin.PluginAttach, empty.Empty>(() => new empty.Empty()),
    parameterize: notOffered("parameters"),
    call: notOffered("method calls"),
    construct: notOffered("components"),
    list: notOffered("listing"),
    getMapping: notOffered("mappings"),
    getMappings: notOffered("mappings"),
  }
}

/** A handler from a plain function; what it throws is the message that the engine shows. */
function unary<Request, Response>(
  handle: (request: Request) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    const respond = async () => {
      try {
        callback(null, await handle(call.request))
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        callback({ code: status.UNKNOWN, details: message }, null)
      }
    }
    void respond()
  }
}

function notOffered(what: string) {
  return (_call: unknown, callback?: (error: Partial<ServiceError>) => void) =>
    callback?.({ code: status.UNIMPLEMENTED, details: `The stand-in offers no ${what}` })
}

function once<Result>(make: () => Result): () => Result {
  let made: { result: Result } | undefined
  return () => (made ??= { result: make() }).result
}

/** `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME` */
function subjectOf(urn: string): { type: string; name: string } {
  const [, , types = "", ...name] = urn.split("::")
  return { type: types.split("$").at(-1) ?? "", name: name.join("::") }
}

function resourceOf(urn: string): Resource {
  const { type } = subjectOf(urn)
  const resource = resources[type]
  if (!resource) throw unknownToken("resource", type)
  return resource
}

function unknownToken(what: string, token: string): Error {
  const known = what === "resource" ? Object.keys(resources) : [getZoneToken]
  return new Error(
    `The stand-in for the Cloudflare provider has no ${what} "${token}", only ${known.join(", ")}`,
  )
}

/** State with its secrets: those that the inputs had, and those that the table names. */
function encodeState({ fields }: Resource, state: Values, secrets: Iterable<string> = []) {
  return encode(state, new Set([...secrets, ...secretPaths(fields, state)]))
}

/** Inputs as Cloudflare's state has them; without inputs, as an import would write them. */
function encodeInputs(resource: Resource, { values, secrets }: Decoded, state: Values) {
  if (Object.keys(values).length === 0) {
    return encodeState(resource, importInputs(resource.fields, state))
  }
  const refreshed = refreshInputs(resource.fields, values, state)
  // Where members came or went, the program's paths may name others: better one secret too many.
  if (!sameLengths(values, refreshed)) return encodeState(resource, refreshed, secrets)
  return encode(refreshed, secrets)
}

function checkResponse(request: protocol.CheckRequest, failures: Failure[]) {
  return new protocol.CheckResponse()
    .setInputs(request.getNews())
    .setFailuresList(failures.map(failureMessage))
}

function failureMessage({ property, reason }: Failure): protocol.CheckFailure {
  return new protocol.CheckFailure().setProperty(property).setReason(reason)
}

function diffResponse(changes: Change[]): protocol.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = protocol.DiffResponse.DiffChanges
  const names = (some: Change[]) => [...new Set(some.map(({ property }) => property))]
  const response = new protocol.DiffResponse()
    .setChanges(changes.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList(names(changes))
    .setReplacesList(names(changes.filter(({ replace }) => replace)))
    .setHasdetaileddiff(true)
  for (const change of changes) {
    const difference = new protocol.PropertyDiff().setKind(
      kinds[change.kind][change.replace ? 1 : 0],
    )
    response.getDetaileddiffMap().set(change.path, difference)
  }
  return response
}

const { Kind } = protocol.PropertyDiff

const kinds = {
  add: [Kind.ADD, Kind.ADD_REPLACE],
  delete: [Kind.DELETE, Kind.DELETE_REPLACE],
  update: [Kind.UPDATE, Kind.UPDATE_REPLACE],
} as const
