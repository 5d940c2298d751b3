import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import type { Api } from "../api.ts"
import { type Context, type Properties, type Resource, readDeclaredOnly } from "../resource.ts"
import {
  type Route,
  findZone,
  conflictingRoutes,
  listRoutes,
  lookUpZone,
  subdomainProblem,
} from "./routes.ts"

const Inputs = z.strictObject({
  accountId: z.string().min(1),
  scriptName: z.string().min(1),
  hostname: z.string().min(1),
  attach: z.enum(["domain", "route", "paths"]),
  /** Undefined on workers.dev, which has no zone. */
  zone: z.string().min(1).optional(),
  zoneId: z.string().optional(),
  /** Patterns of the routes that the stack makes. */
  routes: z.array(z.string()),
})
export type Inputs = z.infer<typeof Inputs>

const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }))
const Records = z.array(
  z.object({
    type: z.string(),
    name: z.string(),
    content: z.string().default(""),
    proxied: z.boolean().default(false),
  }),
)

/** Types of DNS records that conflict with a custom domain. */
const addressTypes = new Set(["A", "AAAA", "CNAME"])

/** Outputs with the zone's id, which the routes and the custom domain use. */
const Outputs = Inputs.extend({ zone: z.string(), zoneId: z.string() })

/**
 * Checks whether the host can be attached before anything is created: the Worker and the database take
 * their name from its outputs. A failed read is only a warning, except for the zone.
 */
export const hostCheck: Resource = {
  inputs: Inputs,
  diff({ oldInputs, inputs }) {
    // Compares inputs, because the outputs also have the id of the zone.
    const isUnchanged =
      JSON.stringify(Inputs.parse(oldInputs)) === JSON.stringify(Inputs.parse(inputs))
    return isUnchanged ? {} : { hostname: "update" }
  },
  preview: ({ inputs, olds }, context) => check(Inputs.parse(inputs), context, formerScript(olds)),
  async create({ inputs }, context) {
    const outputs = await check(Inputs.parse(inputs), context)
    return { id: outputs.hostname, outputs }
  },
  update: ({ inputs, olds }, context) => check(Inputs.parse(inputs), context, formerScript(olds)),
  async read(state, context) {
    const parsedOutputs = Outputs.safeParse(readDeclaredOnly(state).outputs)
    if (!parsedOutputs.success) return state
    const { hostname, scriptName, attach } = parsedOutputs.data
    const [domain, zoneId] = await Promise.all([
      findDomain(context.api(), parsedOutputs.data).catch(() => undefined),
      // A zone that was deleted and added again has another id.
      lookUpZone(context.api(), parsedOutputs.data).catch(() => undefined),
    ])
    if (attach === "domain" && domain !== undefined && domain.service !== scriptName) {
      // Otherwise a plan says only that a protected domain would be replaced.
      context.log.warn(
        `${hostname} is the custom domain of the Worker ${domain.service}: detach it there, and the next up attaches it to ${scriptName} again`,
      )
    }
    return {
      ...state,
      outputs: { ...parsedOutputs.data, zoneId: zoneId ?? parsedOutputs.data.zoneId },
    }
  },
}

/**
 * Returns the Worker's previous name, to which the host may still lead. `DatabaseIdentity` decides
 * whether a stack may change its name.
 */
function formerScript(olds: Properties | undefined): string | undefined {
  return olds && Inputs.parse(olds).scriptName
}

type Question = {
  api: Api
  inputs: Inputs
  /** Names of the stack's own Worker. */
  own: string[]
  problems: string[]
  warnings: string[]
  /** Returns undefined, and adds a warning, when the API request fails. */
  ask: <Answer>(what: string, question: () => Promise<Answer>) => Promise<Answer | undefined>
}

async function check(inputs: Inputs, context: Context, idBefore?: string): Promise<Inputs> {
  const problems: string[] = []
  const warnings: string[] = []
  const question: Question = {
    api: context.api(),
    inputs,
    own: [inputs.scriptName, ...(idBefore === undefined ? [] : [idBefore])],
    problems,
    warnings,
    ask: async (subject, read) =>
      await read().catch((error: unknown) => {
        if (!isFailure(error, "API_FAILED")) throw error
        warnings.push(`not checked: ${subject} (${messageOf(error)})`)
        return undefined
      }),
  }
  const { zone } = inputs
  const zoneId = await (zone === undefined ? checkSubdomain(question) : checkZone(question, zone))
  for (const warning of warnings) context.log.warn(warning)
  if (problems.length === 0) return { ...inputs, ...(zoneId !== undefined && { zoneId }) }
  throw new Failure(
    "COMMAND_FAILED",
    `${inputs.hostname} cannot be attached, and nothing has been created:\n${problems.map((text) => `  ${text}`).join("\n")}`,
  )
}

async function checkSubdomain({ api, inputs, problems, ask }: Question): Promise<undefined> {
  const problem = await ask("the account's subdomain of workers.dev", () =>
    subdomainProblem(api, inputs),
  )
  if (problem !== undefined) problems.push(problem)
}

/** Returns the zone's id. */
async function checkZone(question: Question, zone: string): Promise<string> {
  const { api, inputs, problems, warnings, ask } = question
  const { zoneId, problem, warning } = await findZone(api, { ...inputs, zone })
  if (problem !== undefined) problems.push(problem)
  if (warning !== undefined) warnings.push(warning)
  const attached = await ask(`whether ${inputs.hostname} belongs to another Worker`, () =>
    checkDomain(question, { zone, zoneId }),
  )
  await ask(`whether routes of ${zone} belong to another Worker`, () =>
    checkRoutes(question, { zoneId, attached: attached ?? false }),
  )
  return zoneId
}

type Zone = { zone: string; zoneId: string }

async function findDomain(api: Api, { accountId, hostname }: Inputs) {
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/domains`
  const domains = await api.get(`${path}?hostname=${encodeURIComponent(hostname)}`, Domains)
  return domains.find((domain) => domain.hostname === hostname)
}

/** Returns whether the host is already the stack's own custom domain. */
async function checkDomain(question: Question, zone: Zone): Promise<boolean> {
  const { api, inputs, own, problems, ask } = question
  const { hostname, attach } = inputs
  const domain = await findDomain(api, inputs)
  if (domain !== undefined && own.includes(domain.service)) return true
  // Routes take precedence over a custom domain, so the front end may have that domain.
  if (domain !== undefined && attach === "paths") return false
  if (domain !== undefined) {
    problems.push(
      `it is the custom domain of the Worker ${domain.service}: detach it there, or choose another host`,
    )
    return false
  }
  await ask(`whether ${hostname} has a DNS record`, () => checkRecords(question, zone))
  return false
}

async function checkRecords(
  { api, inputs: { hostname, attach }, problems, warnings }: Question,
  { zone, zoneId }: Zone,
): Promise<void> {
  const path = `/zones/${encodeURIComponent(zoneId)}/dns_records`
  const addressRecords = async (name: string) => {
    const records = await api.get(`${path}?name.exact=${encodeURIComponent(name)}`, Records)
    return records.filter((record) => record.name === name && addressTypes.has(record.type))
  }
  if (attach === "domain") {
    const [record] = await addressRecords(hostname)
    if (record === undefined) return
    problems.push(
      `it has a DNS record already (${record.type} ${record.content}), over which Cloudflare attaches no domain: delete it, or keep it and set accounts:attach: route`,
    )
    return
  }
  for (const name of [hostname, ...wildcardsAbove(hostname, zone)]) {
    const records = await addressRecords(name)
    if (records.some(({ proxied }) => proxied)) return
    if (records.length > 0) break
  }
  warnings.push(
    `${hostname} has no proxied DNS record, so no request reaches its route until it has one`,
  )
}

/** Returns the wildcard names that cover the host if it has no record of its own, nearest first. */
function wildcardsAbove(hostname: string, zone: string): string[] {
  const labels = hostname.split(".").slice(0, -zone.split(".").length)
  return labels.map((_, index) => `*.${[...labels.slice(index + 1), zone].join(".")}`)
}

/** @param place.attached whether the host already belongs to the stack: then other Workers' routes are intended */
async function checkRoutes(
  { api, inputs, own, problems, warnings }: Question,
  { zoneId, attached }: { zoneId: string; attached: boolean },
): Promise<void> {
  const routes = await listRoutes(api, zoneId)
  const { taken, before, live } = conflictingRoutes(routes, { ...inputs, own })
  for (const route of taken) {
    problems.push(
      `the route ${route.pattern} exists and ${whither(route)}: delete it, or change accounts:routes`,
    )
  }
  for (const { route, url } of before) {
    const text = `the route ${route.pattern} takes requests such as ${url.href} before it, and ${whither(route)}`
    if (attached || live) warnings.push(text)
    else {
      problems.push(`${text}: delete it, narrow it, or add it again once this host is attached`)
    }
  }
}

function whither({ script }: Route): string {
  return script ? `leads to the Worker ${script}` : "turns Workers off there"
}
