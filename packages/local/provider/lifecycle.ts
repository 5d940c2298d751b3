import {
  isValues,
  unknownValue,
  type Value,
  type Values,
} from "@accounts-stack/pulumi-host/properties"

import { fillFrom, fromAnswer, jsonName, type JsonObject, toBody } from "./api-json.ts"
import { type Client, describeFailure, isNotFound, parseObject, type Request } from "./client.ts"
import type { Property } from "./property.ts"
import { differing, markUnknown, propose } from "./propose.ts"
import type { Resource } from "./resources.ts"

export type State = { id: string; state: Values }

/** Plans the resource's state. `changed` names the changed properties, `replaces` those that force a replacement. */
export function plan(resource: Resource, { config, prior }: { config: Values; prior?: Values }) {
  const { fields } = resource
  const proposed = propose({ fields, config, prior })
  const changed = prior ? differing(fields, prior, proposed) : []
  if (!prior || changed.length === 0) return { proposed, changed, replaces: [] }
  const replaces = changed.filter((name) => {
    const replace = fields[name]?.replace
    return replace === "always" || (replace === "configured" && config[name] !== undefined)
  })
  const marked = markUnknown({ fields, config }, proposed)
  return { proposed: marked, changed: differing(fields, prior, marked), replaces }
}

export async function create(
  resource: Resource,
  { config }: { config: Values },
  client: Client,
): Promise<State> {
  const { proposed } = plan(resource, { config })
  const { method, path } = resource.create
  const request: Request = {
    method,
    path: fillPath(path, resource, proposed),
    body: toBody(resource.fields, proposed),
  }
  const answer = parseObject(await send(client, request))
  const state = fillFrom(resource.fields, proposed, fromAnswer(resource.fields, answer))
  return stateOf(resource, answer, state)
}

export async function update(
  resource: Resource,
  { state: prior, config }: { state: Values; config: Values },
  client: Client,
): Promise<Values> {
  const { proposed } = plan(resource, { config, prior })
  if (!resource.update) return prior
  const { method, path } = resource.update
  const request: Request = {
    method,
    path: fillPath(path, resource, { ...prior, ...proposed }),
    body: toBody(resource.fields, proposed, prior),
  }
  const answer = parseObject(await send(client, request))
  const state = fillFrom(resource.fields, proposed, fromAnswer(resource.fields, answer))
  return stateOf(resource, answer, state).state
}

/** Reads the current state from Cloudflare; undefined if the resource no longer exists. */
export async function read(
  resource: Resource,
  { id, state: prior }: State,
  client: Client,
): Promise<State | undefined> {
  const isImport = Object.keys(prior).length === 0
  const values = isImport ? parseId(resource, id) : prior
  const request: Request = { method: "get", path: fillPath(resource.read, resource, values) }
  try {
    const answer = parseObject(await client(request))
    const fresh = fromAnswer(resource.fields, answer)
    const state: Values = {}
    for (const [name, property] of Object.entries(resource.fields)) {
      const answerValue = property.where || property.writeOnly ? values[name] : fresh[name]
      state[name] = isImport
        ? imported(property, answerValue)
        : unanswered(property, answerValue, prior[name])
    }
    return stateOf(resource, answer, state)
  } catch (error) {
    if (isNotFound(error) && !isImport) return undefined
    throw new Error(describeFailure(error, request), { cause: error })
  }
}

/** Returns the property's import default if the response lacks it. */
function imported(property: Property, answerValue: Value | undefined): Value | undefined {
  if (answerValue === undefined) return property.imported
  if (property.kind !== "object" || !isValues(answerValue)) return answerValue
  const fields = Object.entries(property.fields)
  return Object.fromEntries(
    fields.map(([name, field]) => [name, imported(field, answerValue[name])]),
  )
}

/** Keeps the prior value of a property with an import default, if the response lacks it. */
function unanswered(
  property: Property,
  answerValue: Value | undefined,
  prior: Value | undefined,
): Value | undefined {
  if (answerValue === undefined && property.imported !== undefined) return prior
  // A property missing from the response becomes null, but an optional object becomes empty.
  if (answerValue === undefined && property.kind === "object" && property.presence === "optional") {
    return prior && {}
  }
  if (property.kind !== "object" || !isValues(answerValue) || !isValues(prior)) return answerValue
  const fields = Object.entries(property.fields)
  return Object.fromEntries(
    fields.map(([name, field]) => [name, unanswered(field, answerValue[name], prior[name])]),
  )
}

/**
 * Deletes a resource. Fails if it no longer exists, like the official provider (5.22.0, Delete in resource.go of
 * worker:197, d1_database:190, workers_route:187 and workers_custom_domain:144).
 */
export async function remove(
  resource: Resource,
  { state }: { state: Values },
  client: Client,
): Promise<void> {
  const request: Request = { method: "delete", path: fillPath(resource.delete, resource, state) }
  await send(client, request)
}

async function send(client: Client, request: Request): Promise<unknown> {
  try {
    return await client(request)
  } catch (error) {
    throw new Error(describeFailure(error, request), { cause: error })
  }
}

/** Returns the parts of an import id by their names in state. */
function parseId(resource: Resource, id: string): Values {
  const parts = id.split("/")
  if (parts.length !== resource.importId.length || parts.includes("")) {
    const form = resource.importId.map((part) => `<${part}>`).join("/")
    throw new Error(`The import id "${id}" must have the form ${form}`)
  }
  const names = resource.importId.map((name) => (name === "id" ? resource.id : name))
  return Object.fromEntries(names.map((name, index) => [name, parts[index]]))
}

function stateOf({ id: name }: Resource, answer: JsonObject, state: Values): State {
  const { [name]: id } = answer
  if (typeof id === "string" && id !== "") return { id, state: settle({ ...state, id }) }
  throw new Error(`Cloudflare's answer lacks "${name}": ${JSON.stringify(answer)}`)
}

/** Fills a path from the state only, like the official provider, which does not use the engine's id. */
function fillPath(path: string, { id, idParameter }: Resource, state: Values): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = state[name === "id" ? id : name]
    if (typeof value === "string") return encodeURIComponent(value)
    const parameter = name === "id" ? idParameter : jsonName(name)
    throw new Error(`failed to make http request: missing required ${parameter} parameter`)
  })
}

/** Removes values that are still unknown after the request, because Cloudflare did not return them. */
function settle(values: Values): Values {
  const settled: Values = {}
  for (const [name, value] of Object.entries(values)) {
    settled[name] = settleValue(value)
  }
  return settled
}

function settleValue(value: Value | undefined): Value | undefined {
  if (value === unknownValue) return undefined
  if (isValues(value)) return settle(value)
  if (!Array.isArray(value)) return value
  return value.flatMap((item) => {
    const settled = settleValue(item)
    return settled === undefined ? [] : [settled]
  })
}
