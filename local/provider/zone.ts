import * as z from "zod"

import { fromAnswer } from "./api-json.ts"
import { check, type CheckFailure } from "./check.ts"
import { type Client, describeFailure, parseObject, type Request } from "./client.ts"
import type { Values } from "./property-value.ts"
import { boolean, type Fields, list, number, object, string } from "./property.ts"

export const getZoneToken = "cloudflare:index/getZone:getZone"

const filter: Fields = {
  account: object("optional", { id: string("optional"), name: string("optional") }),
  direction: string("optional", { oneOf: ["asc", "desc"] }),
  match: string("either", { oneOf: ["any", "all"] }),
  name: string("optional"),
  order: string("optional"),
  status: string("optional"),
  types: list("optional", string("required")),
}

export const zoneArgs: Fields = { filter: object("optional", filter), zoneId: string("optional") }

const named: Fields = { id: string("computed"), name: string("computed") }
const strings = list("computed", string("computed"))

export const zone: Fields = {
  account: object("computed", named),
  activatedOn: string("computed"),
  cnameSuffix: string("computed"),
  createdOn: string("computed"),
  developmentMode: number("computed"),
  meta: object("computed", {
    cdnOnly: boolean("computed"),
    customCertificateQuota: number("computed"),
    dnsOnly: boolean("computed"),
    foundationDns: boolean("computed"),
    pageRuleQuota: number("computed"),
    phishingDetected: boolean("computed"),
    step: number("computed"),
  }),
  modifiedOn: string("computed"),
  name: string("computed"),
  nameServers: strings,
  originalDnshost: string("computed"),
  originalNameServers: strings,
  originalRegistrar: string("computed"),
  owner: object("computed", { ...named, type: string("computed") }),
  paused: boolean("computed"),
  permissions: strings,
  plan: object("computed", {
    ...named,
    canSubscribe: boolean("computed"),
    currency: string("computed"),
    externallyManaged: boolean("computed"),
    frequency: string("computed"),
    isSubscribed: boolean("computed"),
    legacyDiscount: boolean("computed"),
    legacyId: string("computed"),
    price: number("computed"),
  }),
  status: string("computed"),
  tenant: object("computed", named),
  tenantUnit: object("computed", { id: string("computed") }),
  type: string("computed"),
  vanityNameServers: strings,
  verificationKey: string("computed"),
}

export function checkZoneArgs(inputs: Values): CheckFailure[] {
  const failures = check(zoneArgs, inputs)
  if ((inputs.zoneId === undefined) === (inputs.filter === undefined)) {
    failures.push({ property: "zoneId", reason: "set either zoneId or filter" })
  }
  return failures
}

/** @throws unless exactly one zone has the id or matches the filter */
export async function getZone(inputs: Values, client: Client): Promise<Values> {
  const id = typeof inputs.zoneId === "string" ? inputs.zoneId : await findZone(inputs, client)
  const request: Request = { method: "get", path: `/zones/${encodeURIComponent(id)}` }
  const answer = parseObject(await send(client, request))
  return { ...fromAnswer(zone, answer), filter: inputs.filter, id, zoneId: id }
}

const Filter = z.object({
  account: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
  direction: z.string().optional(),
  match: z.string().optional(),
  name: z.string().optional(),
  order: z.string().optional(),
  status: z.string().optional(),
})

const Zones = z.array(z.object({ id: z.string(), name: z.string() }))

async function findZone(inputs: Values, client: Client): Promise<string> {
  const { account, ...rest } = Filter.parse(inputs.filter)
  const wanted = { ...rest, "account.id": account?.id, "account.name": account?.name }
  const query: Record<string, string> = {}
  for (const [name, value] of Object.entries(wanted)) {
    if (value !== undefined) query[name] = value
  }
  const zones = Zones.parse(await send(client, { method: "get", path: "/zones", query }))
  const [first, ...others] = zones
  if (first && others.length === 0) return first.id
  const criteria = new URLSearchParams(query).toString()
  if (!first) throw new Error(`No zone matches ${criteria}, or the token may not read it`)
  throw new Error(
    `${zones.length} zones match ${criteria}: ${zones.map((it) => it.name).join(", ")}`,
  )
}

async function send(client: Client, request: Request): Promise<unknown> {
  try {
    return await client(request)
  } catch (error) {
    throw new Error(describeFailure(error, request), { cause: error })
  }
}
