import { randomBytes } from "node:crypto"

import {
  checkResponse,
  diffResponse,
  handle,
  hostCalls,
  type EngineSettings,
  type Provider,
  serveProcess,
  typeOf,
  type InputProblem,
} from "@accounts-stack/pulumi-host"
import type { EngineLog } from "@accounts-stack/pulumi-host/log"
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

import { check, importInputs, refreshInputs } from "./check.ts"
import { type Client, createClient } from "./client.ts"
import * as lifecycle from "./lifecycle.ts"
import { encodeState, withoutDelta } from "./raw-state.ts"
import { type Resource, resources, version } from "./resources.ts"

type Configuration = { baseUrl: string; token: string }

const settingNames = new Set([
  "apiKey",
  "apiToken",
  "apiUserServiceKey",
  "baseUrl",
  "email",
  "pluginDownloadURL",
  "userAgentOperatorSuffix",
  "version",
])

type Environment = Readonly<Record<string, string | undefined>>

function checkConfiguration(args: Values, environment: Environment): InputProblem[] {
  const failures = Object.keys(args)
    .filter((name) => !settingNames.has(name) && !name.startsWith("__"))
    .map((property) => ({ property, reason: "is unknown; remove it" }))
  const problem = baseUrlProblem(args, environment)
  return problem ? [...failures, { property: "baseUrl", reason: problem }] : failures
}

/** Returns why `baseUrl` is rejected; undefined if it is valid, or not known yet in a preview. */
function baseUrlProblem(args: Values, environment: Environment): string | undefined {
  const baseUrl = args.baseUrl ?? environment.CLOUDFLARE_BASE_URL
  if (baseUrl === unknownValue) return undefined
  const fix =
    "The stand-in for the Cloudflare provider works with a local Cloudflare only: set " +
    "cloudflare:baseUrl to it (http://127.0.0.1:8790/client/v4), or install the official provider: " +
    "pulumi plugin install resource cloudflare"
  if (typeof baseUrl !== "string") return `is not set. ${fix}`
  const url = URL.parse(baseUrl)
  const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
  if (url && /^https?:$/.test(url.protocol) && loopback.test(url.hostname)) return undefined
  return `is "${baseUrl}". ${fix}`
}

/** Reads the token only here, so that a token from the environment is never stored. @throws if a setting is missing */
function readConfiguration(args: Values, environment: Environment): Configuration {
  const baseUrl = args.baseUrl ?? environment.CLOUDFLARE_BASE_URL
  const problem = baseUrlProblem(args, environment)
  if (problem || typeof baseUrl !== "string") {
    throw new Error(`cloudflare:baseUrl ${problem ?? "is still unknown"}`)
  }
  const token = args.apiToken ?? environment.CLOUDFLARE_API_TOKEN
  if (typeof token !== "string" || token === "") {
    throw new Error("The token of Cloudflare's API is missing: set CLOUDFLARE_API_TOKEN")
  }
  return { baseUrl, token }
}

type Options = { engineSettings?: EngineSettings<Values>; environment?: NodeJS.ProcessEnv }

/** Runs the provider as a plugin process of Pulumi's engine. */
export async function serve(): Promise<void> {
  await serveProcess((processInfo) => createProvider({ engineSettings: processInfo }))
}

export function createProvider({
  engineSettings = {},
  environment = process.env,
}: Options): Provider {
  const stopped = new AbortController()
  const host = hostCalls(engineSettings, { name: "cloudflare", version })
  let client: Client | undefined
  const records = createRecords(host.log)
  const connect = () => (client ??= open())

  function open(): Client {
    const { configuration } = engineSettings
    if (configuration === undefined) throw new Error("The provider is not configured")
    const settings = readConfiguration(configuration, environment)
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

    // A new address or token changes only the client, not the account, so it never replaces resources.
    diffConfig: handle((request: protocol.DiffRequest) => {
      const { DIFF_NONE, DIFF_SOME } = protocol.DiffResponse.DiffChanges
      const isUnchanged = equal(
        decodeProperties(request.getOlds()).values,
        decodeProperties(request.getNews()).values,
      )
      return new protocol.DiffResponse().setChanges(isUnchanged ? DIFF_NONE : DIFF_SOME)
    }),

    configure: handle((request: protocol.ConfigureRequest) => {
      const { values } = decodeProperties(request.getArgs())
      // The engine does not check the configuration of a provider that it reads from state.
      const problem = baseUrlProblem(values, environment)
      if (problem) throw new Error(`cloudflare:baseUrl ${problem}`)
      engineSettings.configuration = values
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
      const freshState = await lifecycle.read(resource, existing, connect())
      const response = new protocol.ReadResponse()
      if (!freshState) return response
      return response
        .setId(freshState.id)
        .setProperties(encodeOutputs(resource, freshState.state, prior.secrets))
        .setInputs(encodeInputs(resource, inputs, freshState.state))
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

    // Like the official provider, this ignores cancellation (pulumi-terraform-bridge 3.133.0, pkg/pf/tfbridge).
    cancel: handle(() => new empty.Empty()),
  }
  return { service, busy: () => false, stop: async () => stopped.abort() }
}

/** Calls `act` for a known resource type, and `handleRecord` for any other. */
function resourceCall<Request extends { getUrn(): string }, Response>(
  handleRecord: (request: Request) => Response,
  act: (request: Request, resource: Resource) => Response | Promise<Response>,
) {
  return handle((request: Request) => {
    const resource = resources[typeOf(request.getUrn())]
    return resource ? act(request, resource) : handleRecord(request)
  })
}

/** Decodes a resource's stored outputs; empty for an import. */
function stateIn(outputs: Struct | undefined): Values {
  return withoutDelta(decodeProperties(outputs).values)
}

/** Encodes outputs for the engine's state. */
function encodeOutputs({ fields }: Resource, state: Values, secrets: ReadonlySet<string>) {
  return encodeState(fields, { values: state, secrets })
}

/** Refreshes the inputs from Cloudflare's state; without inputs, generates them for an import. */
function encodeInputs({ fields }: Resource, { values, secrets }: DecodedProperties, state: Values) {
  const isImport = Object.keys(values).length === 0
  const inputs = isImport ? importInputs(fields, state) : refreshInputs(fields, values, state)
  return encodeProperties(inputs, secrets)
}

/**
 * Handles resource types that the plugin does not know. It stores the program's inputs without checking them or
 * calling the API. Outputs that only Cloudflare knows are absent. Any change is an update, because only the official
 * provider knows which changes replace a resource.
 */
function createRecords(log: () => EngineLog) {
  return {
    check: (request: protocol.CheckRequest) =>
      new protocol.CheckResponse().setInputs(request.getNews()),

    diff: (request: protocol.DiffRequest) => {
      const { DIFF_NONE, DIFF_SOME } = protocol.DiffResponse.DiffChanges
      const [olds, news] = [request.getOlds(), request.getNews()].map(
        (properties) => decodeProperties(properties).values,
      )
      const names = [...new Set(Object.keys({ ...olds, ...news }))]
      const changed = names.filter((name) => !equal(olds?.[name], news?.[name]))
      return new protocol.DiffResponse()
        .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
        .setDiffsList(changed)
    },

    create: (request: protocol.CreateRequest) => {
      const urn = request.getUrn()
      const [, , type, name] = urn.split("::")
      const resourceName = `${name}: the stand-in for Cloudflare's provider makes no ${type?.split("$").at(-1)}`
      log().of(urn).warn(`${resourceName}, but keeps what the program gave as a record`)
      const response = new protocol.CreateResponse().setProperties(request.getProperties())
      return request.getPreview() ? response : response.setId(randomBytes(16).toString("hex"))
    },

    read: (request: protocol.ReadRequest) => {
      if (Object.keys(request.getProperties()?.toJavaScript() ?? {}).length === 0) {
        throw new Error(`The stand-in for Cloudflare's provider cannot import ${request.getUrn()}`)
      }
      return new protocol.ReadResponse()
        .setId(request.getId())
        .setProperties(request.getProperties())
        .setInputs(request.getInputs())
    },

    update: (request: protocol.UpdateRequest) =>
      new protocol.UpdateResponse().setProperties(request.getNews()),

    delete: (): empty.Empty => new empty.Empty(),
  }
}
