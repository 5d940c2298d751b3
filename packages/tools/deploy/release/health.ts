import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import { parseJson } from "../api.ts"
import {
  type Override,
  type ServiceAddress,
  type ServiceResponse,
  describeRefusal,
  excerptOf,
  overrideHeaders,
  requestService,
} from "./service-request.ts"

type HealthRequest = {
  address: ServiceAddress
  /** Sends the request to this version, regardless of its share of the traffic. */
  override?: Override
  /** The versions that may answer; any version if undefined. */
  expected?: string[]
  /** Asks the version whether the schema of its database fits it. */
  schema?: boolean
}

export type HealthCheck = HealthRequest & {
  /** When to give up, in milliseconds since 1970. */
  deadline: number
  signal: AbortSignal
  /** Called whenever the reason to wait changes. */
  onWait?: (problem: string) => void
  /** Called between two attempts; an error that it throws ends the wait. */
  watch?: () => Promise<void>
  /** Returns whether an unexpected version belongs to the Worker. */
  owns?: (versionId: string) => Promise<boolean>
}

const path = "/api/health"
/** Milliseconds for one request. */
const requestTimeout = 10_000
/** Milliseconds before the second attempt. The pause doubles, up to ten times this value. */
const firstPause = 500
/** Number of final refusals in a row that end the wait. */
const refusals = 3

const Health = z.object({ status: z.literal("ok"), version: z.object({ id: z.string() }) })

const Misfit = z.object({
  status: z.enum(["behind", "ahead"]),
  migrations: z.object({ expected: z.string(), found: z.string().nullable() }),
})

function describeMisfit(versionId: string, { status, migrations }: z.infer<typeof Misfit>): string {
  const { expected, found } = migrations
  return status === "behind"
    ? `version ${versionId} needs the schema of ${expected}, but its database stands at ${found ?? "none"}: apply the migrations first`
    : `version ${versionId} was built for ${expected}, and a migration since, up to ${found ?? "none"}, dropped what it may use: release a newer version, or restore what was dropped by a new migration`
}

/** Polls `/api/health` until an expected version is healthy; returns the id of that version. */
export async function awaitHealth(check: HealthCheck): Promise<string> {
  const { address, signal } = check
  let { deadline } = check
  let reported = ""
  let refused = 0
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted()
    const timeout = Math.max(1, Math.min(requestTimeout, deadline - Date.now()))
    const result = await checkHealthOnce(check, timeout)
    if ("versionId" in result) return result.versionId
    refused = result.final ? refused + 1 : 0
    const pause = firstPause * Math.min(2 ** attempt, 10)
    const giveUp = async () => {
      const attemptText = `${attempt + 1} attempt${attempt === 0 ? "" : "s"}`
      const whose = await whoseVersion(check, result)
      return new Error(
        `${new URL(path, address.url).href}: ${result.problem}${whose} (after ${attemptText})`,
      )
    }
    if (Date.now() + pause >= deadline || refused === refusals) throw await giveUp()
    if (result.problem !== reported) check.onWait?.(result.problem)
    reported = result.problem
    await delay(pause, undefined, { signal })
    const looked = Date.now()
    await check.watch?.()
    // `watch` may have waited for Cloudflare's API for minutes.
    deadline += Date.now() - looked
    // Another request without any time left would only hide the last problem.
    if (Date.now() >= deadline) throw await giveUp()
  }
}

/** `other` is the unexpected version that answered. */
type HealthResult = { versionId: string } | { problem: string; final?: boolean; other?: string }

/** Explains that the host may lead to another Worker, if the version is not this Worker's. */
async function whoseVersion({ owns }: HealthCheck, { other }: { other?: string }): Promise<string> {
  if (other === undefined || owns === undefined) return ""
  const isOwnVersion = await owns(other).catch(() => true)
  return isOwnVersion
    ? ""
    : ". Cloudflare shows no such version of this Worker: does a route or a domain lead to another?"
}

/** @param timeout in milliseconds */
async function checkHealthOnce(
  { address, override, expected, schema = false }: HealthRequest,
  timeout: number,
): Promise<HealthResult> {
  const headers = overrideHeaders(override)
  try {
    const requestPath = schema ? `${path}?schema=1` : path
    const request = { address, path: requestPath, headers, timeout }
    return judge(await requestService(request), expected)
  } catch (error) {
    return { problem: `no answer: ${reasonOf(error)}` }
  }
}

/** Accepts only an expected version: another version may be healthy while the expected version is not. */
function judge(response: ServiceResponse, expected: string[] | undefined): HealthResult {
  const { status, versionId, text } = response
  if (versionId === undefined) return describeRefusal(response)
  if (expected !== undefined && !expected.includes(versionId)) {
    const expectedIds = expected.join(" or ")
    return { problem: `version ${versionId} answered instead of ${expectedIds}`, other: versionId }
  }
  const answer = parseJson(text)
  const misfit = Misfit.safeParse(answer).data
  if (misfit !== undefined) {
    return { problem: describeMisfit(versionId, misfit), final: true }
  }
  const health = Health.safeParse(answer)
  if (status !== 200 || !health.success) {
    return { problem: `version ${versionId} answered ${status}: ${excerptOf(text)}` }
  }
  if (health.data.version.id !== versionId) {
    return { problem: `version ${versionId} calls itself ${health.data.version.id}` }
  }
  return { versionId }
}

/** Returns the message, or the name: Node leaves the message of an AggregateError empty. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : messageOf(error)
}
