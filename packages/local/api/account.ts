import { Hono } from "hono"
import * as z from "zod"

import type { SettingsStore } from "../faults/settings.ts"
import { type Zone, account, zones as seededZones } from "../state/seed.ts"
import { ApiError, code, noQuery, pageOf, paging, query, success } from "./envelope.ts"

export function accountApi() {
  const app = new Hono()

  app.get("/user/tokens/verify", noQuery, (c) =>
    c.json(success({ id: account.id, status: "active" })),
  )

  return app
}

/** @throws ApiError 404 for a malformed id, 403 for another account, like Cloudflare without permission */
export function requireAccount(id: string) {
  if (!/^[0-9a-f]{32}$/.test(id)) {
    const message = `Could not route to /accounts/${id}, perhaps your object identifier is invalid?`
    throw new ApiError(404, code.noObject, message)
  }
  if (id !== account.id) throw new ApiError(403, code.authentication, "Authentication error")
}

/** `accounts/{account}/workers/subdomain`: the account's name under workers.dev, unless a setting removes it. */
export function accountSubdomain({ settings }: { settings: Pick<SettingsStore, "read"> }) {
  const app = new Hono()

  app.get("/", noQuery, (c) => {
    const { subdomain } = settings.read()
    if (subdomain !== null) return c.json(success({ subdomain }))
    // The code is wrangler's (getOrRegisterWorkersDevSubdomain); the text is assumed.
    throw new ApiError(404, code.noWorker, "The account has no workers.dev subdomain")
  })

  return app
}

const List = z.strictObject({
  ...paging,
  name: z.string().optional(),
  status: z.string().optional(),
  type: z.string().optional(),
  match: z.enum(["any", "all"]).optional(),
  order: z.string().optional(),
  direction: z.enum(["asc", "desc"]).optional(),
  "account.id": z.string().optional(),
  "account.name": z.string().optional(),
})

export function zoneApi() {
  const app = new Hono()

  app.get("/", (c) => {
    const { page, per_page, ...filter } = query(c, List)
    const matching = seededZones.filter(
      ({ name }) =>
        is(name, filter.name) &&
        is("active", filter.status) &&
        is(account.id, filter["account.id"]) &&
        is(account.name, filter["account.name"]),
    )
    return c.json(pageOf(matching.map(view), { page, per_page }, { totalPages: true }))
  })

  return app
}

export function requireZone(id: string): Zone {
  const zone = seededZones.find((seededZone) => seededZone.id === id)
  if (zone !== undefined) return zone
  const message = `Could not route to /zones/${id}, perhaps your object identifier is invalid?`
  throw new ApiError(404, code.noObject, message)
}

function is(value: string, filter: string | undefined): boolean {
  return filter === undefined || filter === value
}

function view({ id, name }: Zone) {
  return {
    id,
    name,
    status: "active",
    paused: false,
    type: "full",
    development_mode: 0,
    name_servers: ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"],
    original_name_servers: [],
    original_registrar: null,
    original_dnshost: null,
    created_on: account.createdOn,
    modified_on: account.createdOn,
    activated_on: account.createdOn,
    vanity_name_servers: [],
    permissions: [],
    owner: { id: account.id, name: account.name, type: "user" },
    account: { id: account.id, name: account.name },
    plan: {
      id: "0feeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
      name: "Free Website",
      price: 0,
      currency: "USD",
      frequency: "",
      is_subscribed: false,
      can_subscribe: false,
      legacy_id: "free",
      legacy_discount: false,
      externally_managed: false,
    },
    meta: {
      step: 2,
      custom_certificate_quota: 0,
      page_rule_quota: 3,
      phishing_detected: false,
      cdn_only: false,
      dns_only: false,
      foundation_dns: false,
    },
  }
}
