import {
  checkResponse,
  diffResponse,
  handle,
  hostCalls,
  type Known,
  type Provider,
  serveProcess,
  typeOf,
} from "@accounts-stack/pulumi-host"
import {
  type DecodedProperties,
  decodeProperties,
  encodeProperties,
  equal,
  unknownValue,
  type Values,
} from "@accounts-stack/pulumi-host/properties"
import protocol from "@pulumi/pulumi/proto/provider_pb.js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js"

import { check } from "./check.ts"
import { type Client, createClient } from "./client.ts"
import { baseUrlProblem, checkConfiguration, readConfiguration } from "./configuration.ts"
import { importInputs, refreshInputs } from "./inputs.ts"
import * as lifecycle from "./lifecycle.ts"
import { encodeState, withoutDelta } from "./raw-state.ts"
import { createRecords } from "./record.ts"
import { type Resource, resources, version } from "./resources.ts"

type Options = { known?: Known<Values>; environment?: NodeJS.ProcessEnv }

/** Starts the provider as a process of the engine. */
export async function serve(): Promise<void> {
  await serveProcess((known) => createProvider({ known }))
}

export function createProvider({ known = {}, environment = process.env }: Options): Provider {
  const stopped = new AbortController()
  const host = hostCalls(known, { name: "cloudflare", version })
  let client: Client | undefined
  const records = createRecords(host.log)
  const connect = () => (client ??= open())

  function open(): Client {
    if (known.configuration === undefined) throw new Error("The provider is not configured")
    const settings = readConfiguration(known.configuration, environment)
    host.log().of("").info(`stand-in for the Cloudflare provider ${version}`)
    return createClient({ ...settings, signal: stopped.signal })
  }

  const service = {
    ...host.service,

    handshake: handle(() => new protocol.ProviderHandshakeResponse().setAcceptSecrets(true)),

    checkConfig: handle((request: protocol.CheckRequest) => {
      const failures = checkConfiguration(decodeProperties(request.getNews()).values, environment)
      return checkResponse(request, failures)
    }),

    // Another address or token never replaces resources: it changes the client, not the account.
    diffConfig: handle((request: protocol.DiffRequest) => {
      const { DIFF_NONE, DIFF_SOME } = protocol.DiffResponse.DiffChanges
      const same = equal(
        decodeProperties(request.getOlds()).values,
        decodeProperties(request.getNews()).values,
      )
      return new protocol.DiffResponse().setChanges(same ? DIFF_NONE : DIFF_SOME)
    }),

    configure: handle((request: protocol.ConfigureRequest) => {
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
    cancel: handle(() => new empty.Empty()),
  }
  return { service, busy: () => false, stop: async () => stopped.abort() }
}

/** A handler for what is in `resources`, and one for the rest. */
function resourceCall<Request extends { getUrn(): string }, Response>(
  handleRecord: (request: Request) => Response,
  act: (request: Request, resource: Resource) => Response | Promise<Response>,
) {
  return handle((request: Request) => {
    const known = resources[typeOf(request.getUrn())]
    return known ? act(request, known) : handleRecord(request)
  })
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
