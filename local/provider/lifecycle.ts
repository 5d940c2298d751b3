import { fillFrom, fromAnswer, toBody } from "./api-json.ts"
import { type Client, describeFailure, isNotFound, parseObject, type Request } from "./client.ts"
import { type Change, difference } from "./difference.ts"
import { isValues, unknownValue, type Value, type Values } from "./property-value.ts"
import type { Property } from "./property.ts"
import { markUnknown, propose } from "./propose.ts"
import type { Resource } from "./resources.ts"

export type State = { id: string; state: Values }

/** The planned state of the resource, and how it differs from the prior state. */
export function plan(resource: Resource, { config, prior }: { config: Values; prior?: Values }) {
  const { fields } = resource
  const proposed = propose({ fields, config, prior })
  const changes: Change[] = prior ? difference({ fields, config, prior, proposed }) : []
  const changed = changes.length > 0 && resource.update !== undefined
  return { proposed: changed ? markUnknown({ fields, config }, proposed) : proposed, changes }
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
    path: fillPath(path, proposed),
    body: toBody(resource.fields, proposed),
  }
  const answer = parseObject(await send(client, request))
  const state = fillFrom(resource.fields, proposed, fromAnswer(resource.fields, answer))
  return { id: idOf(resource, answer), state: settle(state) }
}

export async function update(
  resource: Resource,
  { id, state: prior, config }: State & { config: Values },
  client: Client,
): Promise<Values> {
  const { proposed } = plan(resource, { config, prior })
  if (!resource.update) return settle(proposed)
  const { method, path } = resource.update
  const request: Request = {
    method,
    path: fillPath(path, { ...proposed, id }),
    body: toBody(resource.fields, proposed, prior),
  }
  const answer = parseObject(await send(client, request))
  return settle(fillFrom(resource.fields, proposed, fromAnswer(resource.fields, answer)))
}

/** The state that Cloudflare holds now; `undefined` when the resource is gone. */
export async function read(
  resource: Resource,
  { id, state: prior }: State,
  client: Client,
): Promise<State | undefined> {
  const { readBy } = resource
  // Then it goes by the id.
  const isImport = Object.keys(prior).length === 0
  if (readBy && !isImport && prior[readBy.output] === undefined) {
    throw new Error(`missing required ${readBy.parameter} parameter: failed to make http request`)
  }
  const known = { ...prior, ...parseId(resource, id, prior) }
  const request: Request = { method: "get", path: fillPath(resource.read, known) }
  try {
    const answer = parseObject(await client(request))
    const fresh = fromAnswer(resource.fields, answer)
    const state: Values = {}
    for (const [name, property] of Object.entries(resource.fields)) {
      const said = property.where || property.writeOnly ? known[name] : fresh[name]
      state[name] = isImport ? imported(property, said) : unanswered(property, said, prior[name])
    }
    return {
      id: idOf(resource, answer),
      state: settle(state),
    }
  } catch (error) {
    if (isNotFound(error) && !isImport) return undefined
    throw new Error(describeFailure(error, request), { cause: error })
  }
}

/** Puts what an import invents where the answer has nothing. */
function imported(property: Property, said: Value | undefined): Value | undefined {
  if (said === undefined) return property.imported
  if (property.kind !== "object" || !isValues(said)) return said
  const fields = Object.entries(property.fields)
  return Object.fromEntries(fields.map(([name, field]) => [name, imported(field, said[name])]))
}

/** Keeps of that what the answer does not contradict. */
function unanswered(
  property: Property,
  said: Value | undefined,
  prior: Value | undefined,
): Value | undefined {
  if (said === undefined && property.imported !== undefined) return prior
  // What is no part of the answer becomes null, but such an object becomes empty.
  if (said === undefined && property.kind === "object" && property.presence === "optional") {
    return prior && {}
  }
  if (property.kind !== "object" || !isValues(said) || !isValues(prior)) return said
  const fields = Object.entries(property.fields)
  return Object.fromEntries(
    fields.map(([name, field]) => [name, unanswered(field, said[name], prior[name])]),
  )
}

/**
 * Fails when the resource is gone already, as that of the official provider does (5.22.0, Delete in
 * resource.go of worker:197, d1_database:190, workers_route:187 and workers_custom_domain:144).
 */
export async function remove(
  resource: Resource,
  { id, state }: State,
  client: Client,
): Promise<void> {
  const request: Request = {
    method: "delete",
    path: fillPath(resource.delete, { ...state, ...parseId(resource, id, state) }),
  }
  await send(client, request)
}

async function send(client: Client, request: Request): Promise<unknown> {
  try {
    return await client(request)
  } catch (error) {
    throw new Error(describeFailure(error, request), { cause: error })
  }
}

/** The parts of an import id, or the id alone when this provider assigned it. */
function parseId(resource: Resource, id: string, state: Values): Values {
  if (!id.includes("/") && resource.importId.every((part) => part === "id" || state[part])) {
    return { id }
  }
  const parts = id.split("/")
  if (parts.length !== resource.importId.length || parts.includes("")) {
    const form = resource.importId.map((part) => `<${part}>`).join("/")
    throw new Error(`The import id "${id}" must have the form ${form}`)
  }
  return Object.fromEntries(resource.importId.map((name, index) => [name, parts[index]]))
}

function idOf({ id }: Resource, answer: Record<string, unknown>): string {
  const value = answer[id]
  if (typeof value === "string" && value !== "") return value
  throw new Error(`Cloudflare's answer lacks "${id}": ${JSON.stringify(answer)}`)
}

function fillPath(path: string, values: Values): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (typeof value !== "string") throw new Error(`${path}: ${name} is unknown`)
    return encodeURIComponent(value)
  })
}

/** Removes what is still unknown after the request: Cloudflare did not return it. */
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
