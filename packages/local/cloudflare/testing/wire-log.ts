import { stringify } from "yaml"

import { account as seed, zones } from "../../state/seed.ts"
import type { Body, Exchange } from "../contract/testing/exchange.ts"

/**
 * Exchanges as text that is the same in every run: ids are numbered in order of appearance, times,
 * sizes and the like are masked, and concurrent calls are sorted.
 */
export function wireLog(exchanges: Exchange[]): string {
  const calls = inOrder(exchanges.map(callOf))
  const text = calls.map(({ line, ...rest }) => `${line}\n${indented(rest)}`).join("\n")
  return numbered(text)
}

/**
 * The writes among some exchanges, sorted because a client may send independent writes concurrently,
 * and the state of the account after them.
 */
export function changeLog(exchanges: Exchange[], account: unknown): string {
  const writes = exchanges
    .filter(({ method }) => method !== "GET")
    .map(callOf)
    .map(({ line, request, status }) => `${line}\n${indented({ request, status })}`)
    .toSorted((a, b) => (unnumbered(a) < unnumbered(b) ? -1 : 1))
  return numbered([...writes, `The account holds\n${indented(normal(account))}`].join("\n"))
}

type Call = { line: string; request: unknown; status: number; response: unknown }

function callOf({ method, path, query, request, status, response }: Exchange): Call {
  const search = query.map(([key, value]) => `${key}=${masked(value)}`).join("&")
  const target = masked(decodeURIComponent(path.replace("/client/v4", "")))
  return {
    line: `${method} ${target}${search && `?${search}`}`,
    request: bodyOf(request),
    status,
    response: responseOf(bodyOf(response)),
  }
}

type Part = Extract<Body, { parts: unknown }>["parts"][number]

function bodyOf(body: Body | null): unknown {
  if (body === null) return undefined
  if ("parts" in body) {
    return body.parts.map(partOf)
  }
  if ("json" in body) return normal(body.json)
  return `<${body.type || "no type"}>`
}

function partOf({ name, filename, content }: Part): unknown {
  if (filename === undefined) return { part: masked(name), content: bodyOf(content) }
  return { part: masked(name), filename: masked(filename), content: `<${content.type}>` }
}

/** Leaves out the envelope's fields that say nothing. */
function responseOf(response: unknown): unknown {
  if (!isRecord(response) || !("success" in response)) return response
  const { success, errors, messages, ...rest } = response
  const messagesPart = Array.isArray(messages) && messages.length > 0 ? { messages } : {}
  return success === true ? { ...messagesPart, ...rest } : { errors, ...messagesPart }
}

/** Sorts concurrent calls, because they arrive in any order. */
function inOrder(calls: Call[]): Call[] {
  const runs: Call[][] = []
  for (const call of calls) {
    const run = runs.at(-1)
    if (run?.[0] !== undefined && groupOf(run[0]) === groupOf(call)) run.push(call)
    else runs.push([call])
  }
  return runs.flatMap((run) => run.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)))
}

/** wrangler sends reads, and changes of routing without waiting in between. */
function groupOf(call: Call): unknown {
  if (call.line.startsWith("GET ")) return "GET"
  return atOnce.test(call.line) ? atOnce : call
}

const atOnce = /^\S+ \S+\/(routes|schedules|domains\/(changeset|records))(\?|$)/

function keyOf(call: Call) {
  return unnumbered(JSON.stringify(call))
}

const volatile: Record<string, string> = {
  duration: "<ms>",
  queryDurationMs: "<ms>",
  /** Counts by hour, and the hour may change during a run. */
  d1AnalyticsAdaptiveGroups: "<one by hour>",
  sql_duration_ms: "<ms>",
  startup_time_ms: "<ms>",
  etag: "<hash>",
  content_base64: "<content>",
  jwt: "<token>",
  /** wrangler's own dependencies with their versions. */
  package_dependencies: "<packages>",
}

function normal(value: unknown): unknown {
  if (typeof value === "string") return masked(value)
  if (Array.isArray(value)) return value.map(normal)
  if (!isRecord(value)) return value
  // If nothing changed, D1 returns the last id of an earlier write, or none after hibernation.
  const isStale = value["changes"] === 0
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      masked(key),
      key === "last_row_id" && isStale ? "<stale>" : normalOf(key, inner),
    ]),
  )
}

function normalOf(key: string, value: unknown): unknown {
  if (value !== null && key in volatile) return volatile[key]
  return normal(value)
}

const knownIds = [
  [seed.id, "<account>"],
  ...zones.map(({ id, name }) => [id, `<zone ${name}>`]),
] as const

const masks: [RegExp, string][] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g, "<time>"],
  [/\bhttp:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:<port>"],
  [/\/transfers\/[\w-]{43}\b/g, "/transfers/<key>"],
  [/^[\w-]{43}$/g, "<key>"],
  [/\b[0-9a-f]{64}\b/g, "<hash>"],
]

function masked(text: string): string {
  const withNames = knownIds.reduce(
    (from, [id, name = ""]) => from.replaceAll(id ?? "", name),
    text,
  )
  return masks.reduce((from, [pattern, name]) => from.replace(pattern, name), withNames)
}

/** A bookmark, a UUID, or 32 hexadecimal digits. */
const id =
  /\b(?:(?:[0-9a-f]{8}-){3}[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})\b/g

function unnumbered(text: string): string {
  return text.replace(id, "<id>")
}

function numbered(text: string): string {
  const ids: string[] = []
  const numbers = text.replace(id, (match) => {
    if (!ids.includes(match)) ids.push(match)
    return `<id ${ids.indexOf(match) + 1}>`
  })
  // The host of a preview URL starts with the first digits of its version's id.
  return ids.reduce(
    (from, uuid, index) => from.replaceAll(`//${uuid.slice(0, 8)}-`, `//<id ${index + 1}>-`),
    numbers,
  )
}

const printing = { lineWidth: 0, aliasDuplicateObjects: false }

function indented(value: unknown): string {
  return stringify(value, printing).replace(/^(?=.)/gm, "  ")
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
