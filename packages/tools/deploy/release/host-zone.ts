import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import type { Api } from "../api.ts"

type Zone = {
  accountId: string
  zone: string
  /** Given in the stack file. */
  zoneId?: string | undefined
}

/** What cannot be read is a warning where the id is given. */
type Found = { zoneId: string; problem?: string; warning?: string }

const Zones = z.array(z.object({ id: z.string(), name: z.string() }))

/** @throws Failure when the zone's id is neither found nor given */
export async function findZone(api: Api, place: Zone): Promise<Found> {
  const { zone, zoneId } = place
  try {
    const found = await lookUpZone(api, place)
    if (found === undefined) return given(place, "it has no zone of that name that the token sees")
    if (zoneId === undefined || zoneId === found) return { zoneId: found }
    const problem = `accounts:zoneId is ${zoneId}, but the zone ${zone} is ${found}: correct it`
    return { zoneId: found, problem }
  } catch (error) {
    if (!isFailure(error, "API_FAILED")) throw error
    return given(place, messageOf(error))
  }
}

/** Undefined when the token sees no zone of the account by that name. */
export async function lookUpZone(
  api: Api,
  { accountId, zone }: Omit<Zone, "zoneId">,
): Promise<string | undefined> {
  const query = `name=${encodeURIComponent(zone)}&account.id=${encodeURIComponent(accountId)}`
  const zones = await api.get(`/zones?${query}`, Zones)
  return zones.find(({ name }) => name === zone)?.id
}

function given({ accountId, zone, zoneId }: Zone, reason: string): Found {
  if (zoneId !== undefined) {
    const warning = `not checked: whether the zone ${zone} is the account's (${reason})`
    return { zoneId, warning }
  }
  const message =
    `The zone ${zone} of the account ${accountId} cannot be looked up: ${reason}\n` +
    "Nothing has been created. Check CLOUDFLARE_API_TOKEN, accounts:accountId and accounts:zone. " +
    "For a token that may not look up zones, set accounts:zoneId."
  throw new Failure("COMMAND_FAILED", message)
}
