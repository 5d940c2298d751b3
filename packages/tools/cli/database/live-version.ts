import * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import { parseJson } from "../../deploy/api.ts"
import {
  type ServiceAddress,
  describeRefusal,
  excerptOf,
  requestService,
} from "../../deploy/release/service-request.ts"

/** A version's report of itself and of the schema that it finds. */
export type LiveVersion =
  | {
      id: string
      /** `behind`: the schema lacks something that the version needs; `ahead`: the schema has dropped it. */
      schema: "ok" | "behind" | "ahead"
      /** The newest migration that it was built with. */
      expected: string
      found: string | null
    }
  | { id: string; stopped: string }
  | { unknown: string }

const Health = z.object({
  status: z.enum(["ok", "behind", "ahead"]),
  migrations: z.object({ expected: z.string(), found: z.string().nullable() }),
})
/** Response of the maintenance version, which is live while a database is restored. */
const Stopped = z.object({ status: z.literal("maintenance"), reason: z.string() })

/** Milliseconds. */
const timeout = 15_000

/** Asks the live version whether the schema fits it. */
export async function askLiveVersion(address: ServiceAddress): Promise<LiveVersion> {
  try {
    const request = { address, path: "/api/health?schema=1", headers: {}, timeout }
    const response = await requestService(request)
    const { versionId: id, text, status } = response
    if (id === undefined) return { unknown: describeRefusal(response).problem }
    const answer = parseJson(text)
    const stopped = Stopped.safeParse(answer).data
    if (stopped !== undefined) return { id, stopped: stopped.reason }
    const health = Health.safeParse(answer).data
    if (health === undefined) return { unknown: `${status}: ${excerptOf(text)}` }
    return { id, schema: health.status, ...health.migrations }
  } catch (error) {
    return { unknown: `no answer: ${messageOf(error)}` }
  }
}

/** Explains what is wrong with the live version; undefined if it fits, or if it is unknown. */
export function attentionForLive(version: LiveVersion): string | undefined {
  if ("unknown" in version) return undefined
  if ("stopped" in version) return `Traffic is stopped: ${version.stopped}`
  const { id, schema, expected, found } = version
  if (schema === "ok") return undefined
  const stands = `the database stands at ${found ?? "no migration"}`
  return schema === "behind"
    ? `The live version ${id} needs ${expected}, but ${stands}: deploy, or restore the schema.`
    : `The live version ${id} was built for ${expected}, ${stands}, and what it uses was dropped: release a newer one.`
}

/** Formats the version for the terminal. */
export function describeLive(version: LiveVersion): string {
  if ("unknown" in version) return `no version answered: ${version.unknown}`
  if ("stopped" in version) return `${version.id} stands in: ${version.stopped}`
  const { id, expected, schema } = version
  const verdict = { ok: "fits", behind: "the schema is too old", ahead: "the schema is too new" }
  return `${id} answers, and was built for ${expected}: ${verdict[schema]}`
}
