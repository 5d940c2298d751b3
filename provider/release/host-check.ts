import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../failure.ts"
import type { Api } from "../api.ts"
import type { Context, Properties, Resource } from "../protocol/resource.ts"

const Inputs = z.strictObject({
  accountId: z.string().min(1),
  scriptName: z.string().min(1),
  hostname: z.string().min(1),
  attach: z.enum(["domain", "route"]),
  zone: z.string().min(1),
  zoneId: z.string().optional(),
  /** Patterns of the routes that the stack makes. */
  routes: z.array(z.string()),
})
type Inputs = z.infer<typeof Inputs>

const Zones = z.array(z.object({ id: z.string(), name: z.string() }))
const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }))
const Routes = z.array(z.object({ pattern: z.string(), script: z.string().nullish() }))
const Records = z.array(
  z.object({
    type: z.string(),
    name: z.string(),
    content: z.string().default(""),
    proxied: z.boolean().default(false),
  }),
)

/** Types of records that lead somewhere, so that they conflict with a custom domain. */
const addressTypes = new Set(["A", "AAAA", "CNAME"])

type Findings = { problems: string[]; warnings: string[] }

/**
 * Whether the host can be attached, asked before anything is created: the Worker and the database take
 * their name from here. It only reads. What cannot be read is said and refuses nothing.
 */
export const hostCheck: Resource = {
  inputs: Inputs,
  diff({ olds, inputs }) {
    const same = JSON.stringify(Inputs.parse(olds)) === JSON.stringify(Inputs.parse(inputs))
    return same ? {} : { hostname: "update" }
  },
  async preview({ inputs, olds }, context) {
    const parsed = Inputs.parse(inputs)
    await check(parsed, context, formerScript(olds))
    return parsed
  },
  async create({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    await check(parsed, context)
    return { id: parsed.hostname, outputs: parsed }
  },
  async update({ inputs, olds }, context) {
    const parsed = Inputs.parse(inputs)
    await check(parsed, context, formerScript(olds))
    return parsed
  },
  async read(state) {
    return state
  },
}

/**
 * The Worker's name before the change, which the host may still lead to: whether a stack may change
 * its name is decided by `DatabaseIdentity`.
 */
function formerScript(olds: Properties | undefined): string | undefined {
  return olds && Inputs.parse(olds).scriptName
}

async function check(inputs: Inputs, context: Context, former?: string): Promise<void> {
  const findings: Findings = { problems: [], warnings: [] }
  const ask = async (what: string, question: () => Promise<void>) => {
    await question().catch((error: unknown) => {
      if (!isFailure(error, "API_FAILED")) throw error
      findings.warnings.push(`not checked: ${what} (${messageOf(error)})`)
    })
  }
  const api = context.api()
  const own = [inputs.scriptName, ...(former === undefined ? [] : [former])]
  const zoneId = await findZone(api, inputs, findings)
  await ask(`whether ${inputs.hostname} belongs to another Worker`, () =>
    checkDomain({ api, inputs, own, findings, zoneId, ask }),
  )
  if (zoneId !== undefined) {
    await ask(`whether routes of ${inputs.zone} belong to another Worker`, () =>
      checkRoutes(api, inputs, { own, findings, zoneId }),
    )
  }
  for (const warning of findings.warnings) context.log.warn(warning)
  if (findings.problems.length === 0) return
  throw new Failure(
    "ENVIRONMENT_INVALID",
    `${inputs.hostname} cannot be attached, and nothing has been created:\n${findings.problems.map((text) => `  ${text}`).join("\n")}`,
    {
      facts: {
        problems: findings.problems.map((message) => ({ key: "accounts:apiOrigin", message })),
      },
    },
  )
}

/** The zone's id, as far as the token may look it up. */
async function findZone(
  api: Api,
  { accountId, zone, zoneId }: Inputs,
  { problems, warnings }: Findings,
): Promise<string | undefined> {
  const query = `name=${encodeURIComponent(zone)}&account.id=${encodeURIComponent(accountId)}`
  const zones = await api.get(`/zones?${query}`, Zones).catch((error: unknown) => {
    if (!isFailure(error, "API_FAILED")) throw error
    warnings.push(`not checked: whether the zone ${zone} is the account's (${messageOf(error)})`)
    return undefined
  })
  if (zones === undefined) return zoneId
  const found = zones.find(({ name }) => name === zone)?.id
  if (found === undefined && zoneId !== undefined) {
    warnings.push(
      `not checked: whether the zone ${zone} is the account's (the token sees no zone of that name)`,
    )
  } else if (found === undefined) {
    problems.push(
      `the account ${accountId} has no zone ${zone} that the token sees: correct accounts:zone or accounts:accountId, or give the token Zone Read`,
    )
  } else if (zoneId !== undefined && zoneId !== found) {
    problems.push(`accounts:zoneId is ${zoneId}, but the zone ${zone} is ${found}: correct it`)
  }
  return found ?? zoneId
}

type Question = {
  api: Api
  inputs: Inputs
  /** Names of the stack's own Worker. */
  own: string[]
  findings: Findings
  zoneId: string | undefined
  ask: (what: string, question: () => Promise<void>) => Promise<void>
}

async function checkDomain(question: Question): Promise<void> {
  const { api, inputs, own, findings, zoneId, ask } = question
  const { accountId, hostname } = inputs
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/domains`
  const domains = await api.get(`${path}?hostname=${encodeURIComponent(hostname)}`, Domains)
  const domain = domains.find((one) => one.hostname === hostname)
  if (domain !== undefined && own.includes(domain.service)) return
  if (domain !== undefined) {
    findings.problems.push(
      `it is the custom domain of the Worker ${domain.service}: detach it there, or choose another host`,
    )
    return
  }
  if (zoneId === undefined) return
  await ask(`whether ${hostname} has a DNS record`, () =>
    checkRecords(api, inputs, { findings, zoneId }),
  )
}

type Place = { findings: Findings; zoneId: string }

async function checkRecords(
  api: Api,
  { hostname, attach, zone }: Inputs,
  { findings, zoneId }: Place,
): Promise<void> {
  const path = `/zones/${encodeURIComponent(zoneId)}/dns_records`
  const named = async (name: string) => {
    const records = await api.get(`${path}?name.exact=${encodeURIComponent(name)}`, Records)
    return records.filter((record) => record.name === name && addressTypes.has(record.type))
  }
  if (attach === "domain") {
    const [record] = await named(hostname)
    if (record === undefined) return
    findings.problems.push(
      `it has a DNS record already (${record.type} ${record.content}), over which Cloudflare attaches no domain: delete it, or keep it and set accounts:attach: route`,
    )
    return
  }
  for (const name of [hostname, ...wildcardsAbove(hostname, zone)]) {
    const records = await named(name)
    if (records.some(({ proxied }) => proxied)) return
    if (records.length > 0) break
  }
  findings.warnings.push(
    `${hostname} has no proxied DNS record, so no request reaches its route until it has one`,
  )
}

/** Records that stand for the host unless it has one of its own, the nearest first. */
function wildcardsAbove(hostname: string, zone: string): string[] {
  const labels = hostname.split(".").slice(0, -zone.split(".").length)
  return labels.map((_, index) => `*.${[...labels.slice(index + 1), zone].join(".")}`)
}

async function checkRoutes(
  api: Api,
  { routes }: Inputs,
  { own, findings, zoneId }: Place & { own: string[] },
): Promise<void> {
  if (routes.length === 0) return
  const path = `/zones/${encodeURIComponent(zoneId)}/workers/routes`
  const taken = (await api.get(path, Routes)).filter(
    ({ pattern, script }) => routes.includes(pattern) && !own.includes(script ?? ""),
  )
  for (const { pattern, script } of taken) {
    const whose = script ? `leads to the Worker ${script}` : "turns Workers off there"
    findings.problems.push(
      `the route ${pattern} exists and ${whose}: delete it, or change accounts:routes`,
    )
  }
}
