import { type handleUnaryCall, status } from "@grpc/grpc-js"
import plugin from "@pulumi/pulumi/proto/plugin_pb.js"
import protocol from "@pulumi/pulumi/proto/provider_pb.js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js"

import { check, type CheckFailure } from "./check.ts"
import { type Client, createClient } from "./client.ts"
import { baseUrlProblem, checkConfiguration, readConfiguration } from "./configuration.ts"
import { connectEngineLog } from "./engine-log.ts"
import { importInputs, refreshInputs } from "./inputs.ts"
import * as lifecycle from "./lifecycle.ts"
import { type DecodedProperties, decodeProperties, encodeProperties } from "./property-struct.ts"
import { equal, unknownValue, type Values } from "./property-value.ts"
import { encodeState, withoutDelta } from "./raw-state.ts"
import { createRecords } from "./record.ts"
import { type Resource, resources, version } from "./resources.ts"

/** What the engine has said of itself and of the stack. */
export type Known = {
  /** Its address, for the log. */
  engine?: string | undefined
  configuration?: Values
}

type Options = {
  known?: Known
  environment?: NodeJS.ProcessEnv
  /** Is told once what this is, beside the engine's log. */
  announce?: (message: string) => void
}

/** The handlers of the plugin protocol; a call without one is answered as unimplemented. */
export function createProvider({ known = {}, environment = process.env, announce }: Options) {
  const stopped = new AbortController()
  let log = connectEngineLog(known.engine)
  let client: Client | undefined
  const records = createRecords(() => log)
  const connect = () => (client ??= open())

  function open(): Client {
    if (known.configuration === undefined) throw new Error("The provider is not configured")
    const settings = readConfiguration(known.configuration, environment)
    const message = `stand-in for the Cloudflare provider ${version}`
    announce?.(message)
    log.info(message)
    return createClient({ ...settings, signal: stopped.signal })
  }

  const service = {
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
      const failures = checkConfiguration(decodeProperties(request.getNews()).values, environment)
      return checkResponse(request, failures)
    }),

    // Another address or token never replaces resources: it changes the client, not the account.
    diffConfig: unary<protocol.DiffRequest, protocol.DiffResponse>((request) => {
      const { DIFF_NONE, DIFF_SOME } = protocol.DiffResponse.DiffChanges
      const same = equal(
        decodeProperties(request.getOlds()).values,
        decodeProperties(request.getNews()).values,
      )
      return new protocol.DiffResponse().setChanges(same ? DIFF_NONE : DIFF_SOME)
    }),

    configure: unary<protocol.ConfigureRequest, protocol.ConfigureResponse>((request) => {
      const { values } = decodeProperties(request.getArgs())
      // The engine does not check the configuration of a provider that it reads from state.
      const problem = baseUrlProblem(values, environment)
      if (problem) throw new Error(`cloudflare:baseUrl ${problem}`)
      known.configuration = values
      client = undefined
      return new protocol.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true)
    }),

    check: resourceCall(records.check, (request, { fields }) => {
      return checkResponse(request, check(fields, decodeProperties(request.getNews()).values))
    }),

    diff: resourceCall(records.diff, (request, resource) => {
      const config = decodeProperties(request.getNews()).values
      const prior = stateIn(request.getOlds())
      return diffResponse(lifecycle.plan(resource, { config, prior }))
    }),

    create: resourceCall(records.create, async (request, resource) => {
      const { values: config, secrets } = decodeProperties(request.getProperties())
      const response = new protocol.CreateResponse()
      if (request.getPreview()) {
        const { proposed } = lifecycle.plan(resource, { config })
        return response.setProperties(encodeProperties({ ...proposed, id: unknownValue }, secrets))
      }
      const { id, state } = await lifecycle.create(resource, { config }, connect())
      return response.setId(id).setProperties(encodeOutputs(resource, state, secrets))
    }),

    read: resourceCall(records.read, async (request, resource) => {
      const prior = decodeProperties(request.getProperties())
      const inputs = decodeProperties(request.getInputs())
      const id = request.getId()
      const existing = { id, state: stateIn(request.getProperties()) }
      const found = await lifecycle.read(resource, existing, connect())
      const response = new protocol.ReadResponse()
      if (!found) return response
      return response
        .setId(found.id)
        .setProperties(encodeOutputs(resource, found.state, prior.secrets))
        .setInputs(encodeInputs(resource, inputs, found.state))
    }),

    update: resourceCall(records.update, async (request, resource) => {
      const { values: config, secrets } = decodeProperties(request.getNews())
      const state = stateIn(request.getOlds())
      const response = new protocol.UpdateResponse()
      if (request.getPreview()) {
        const { proposed } = lifecycle.plan(resource, { config, prior: state })
        return response.setProperties(encodeProperties(proposed, secrets))
      }
      const updated = await lifecycle.update(resource, { state, config }, connect())
      return response.setProperties(encodeOutputs(resource, updated, secrets))
    }),

    delete: resourceCall(records.delete, async (request: protocol.DeleteRequest, resource) => {
      const state = stateIn(request.getProperties())
      await lifecycle.remove(resource, { state }, connect())
      return new empty.Empty()
    }),

    // The official provider goes on with what it does (pulumi-terraform-bridge 3.133.0, pkg/pf/tfbridge).
    cancel: unary<empty.Empty, empty.Empty>(() => new empty.Empty()),

    attach: unary<plugin.PluginAttach, empty.Empty>((request) => {
      known.engine = request.getAddress()
      log = connectEngineLog(known.engine)
      return new empty.Empty()
    }),
  }
  return { service, stop: async () => stopped.abort() }
}

/** Makes a gRPC handler of a function; the engine shows the message of an error that it throws. */
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

/** A handler for what is in `resources`, and one for the rest. */
function resourceCall<Request extends { getUrn(): string }, Response>(
  handleRecord: (request: Request) => Response,
  handle: (request: Request, resource: Resource) => Response | Promise<Response>,
) {
  return unary<Request, Response>((request) => {
    const known = resources[typeOf(request.getUrn())]
    return known ? handle(request, known) : handleRecord(request)
  })
}

/** `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME` */
function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? ""
}

/** Nothing of an import. */
function stateIn(outputs: Struct | undefined): Values {
  return withoutDelta(decodeProperties(outputs).values)
}

/** As it goes into the engine's state. */
function encodeOutputs({ fields }: Resource, state: Values, secrets: ReadonlySet<string>) {
  return encodeState(fields, { values: state, secrets })
}

/** Refreshes the inputs from Cloudflare's state; without inputs, generates them for an import. */
function encodeInputs({ fields }: Resource, { values, secrets }: DecodedProperties, state: Values) {
  const isImport = Object.keys(values).length === 0
  const inputs = isImport ? importInputs(fields, state) : refreshInputs(fields, values, state)
  return encodeProperties(inputs, secrets)
}

function checkResponse(request: protocol.CheckRequest, failures: CheckFailure[]) {
  return new protocol.CheckResponse()
    .setInputs(request.getNews())
    .setFailuresList(failures.map(failureMessage))
}

function failureMessage({ property, reason }: CheckFailure): protocol.CheckFailure {
  return new protocol.CheckFailure().setProperty(property).setReason(reason)
}

type Difference = { changed: string[]; replaces: string[] }

function diffResponse({ changed, replaces }: Difference): protocol.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = protocol.DiffResponse.DiffChanges
  return new protocol.DiffResponse()
    .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList(changed)
    .setReplacesList(replaces)
}
