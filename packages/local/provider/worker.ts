import { boolean, type Fields, list, number, object, set, string } from "./property.ts"

const reference: Fields = {
  namespaceId: string("computed"),
  namespaceName: string("computed"),
  workerId: string("computed"),
  workerName: string("computed"),
}

const references: Fields = {
  dispatchNamespaceOutbounds: list("computed", object("computed", reference)),
  domains: list(
    "computed",
    object("computed", {
      certificateId: string("computed"),
      hostname: string("computed"),
      id: string("computed"),
      zoneId: string("computed"),
      zoneName: string("computed"),
    }),
  ),
  durableObjects: list("computed", object("computed", reference)),
  queues: list(
    "computed",
    object("computed", {
      queueConsumerId: string("computed"),
      queueId: string("computed"),
      queueName: string("computed"),
    }),
  ),
  workers: list(
    "computed",
    object("computed", { id: string("computed"), name: string("computed") }),
  ),
}

const logs: Fields = {
  destinations: list("either", string("required"), { at: 103, default: [] }),
  enabled: boolean("either", { at: 111, default: false }),
  headSamplingRate: number("either", { at: 117, default: 1 }),
  invocationLogs: boolean("either", { at: 126, default: true }),
  persist: boolean("either", { at: 132, default: true }),
}

const traces: Fields = {
  destinations: list("either", string("required"), { at: 149, default: [] }),
  enabled: boolean("either", { at: 157, default: false }),
  headSamplingRate: number("either", { at: 163, default: 1 }),
  persist: boolean("either", { at: 169, default: true }),
  // resource.go:187 and :267, observability.go:16, custom.go:55. An import sets the value, and the next update sends
  // it even if the account lacks the feature.
  propagationPolicy: string("either", {
    at: 175,
    oneOf: ["authenticated", "accept"],
    stable: true,
    imported: "authenticated",
  }),
}

/**
 * The default settings. The schema also has `logs` here, but plans them as unknown, because they have no default:
 * Cloudflare chooses (schema.go:94 and :195).
 */
const observabilityDefault = {
  enabled: false,
  headSamplingRate: 1,
  traces: { destinations: [], enabled: false, headSamplingRate: 1, persist: true },
}

const observability: Fields = {
  enabled: boolean("either", { at: 79, default: false }),
  headSamplingRate: number("either", { at: 85, default: 1 }),
  logs: object("either", logs, { at: 94, stable: true }),
  traces: object("either", traces, {
    at: 140,
    stable: true,
    default: observabilityDefault.traces,
  }),
}

const subdomain: Fields = {
  enabled: boolean("either", { at: 219, default: false }),
  previewsEnabled: boolean("either", { at: 225, defaultFrom: "enabled" }),
}

const tailConsumer = object("required", { name: string("required", { at: 247 }) })

export const worker: Fields = {
  accountId: string("required", { at: 47, replace: "always", where: "path" }),
  createdOn: string("computed", { at: 255, stable: true }),
  deployedOn: string("computed", { at: 265, stable: true }),
  logpush: boolean("either", { at: 56, default: false }),
  name: string("required", { at: 52 }),
  observability: object("either", observability, {
    at: 70,
    stable: true,
    default: observabilityDefault,
  }),
  references: object("computed", references, { at: 278 }),
  subdomain: object("either", subdomain, {
    at: 213,
    default: { enabled: false, previewsEnabled: false },
  }),
  tags: set("either", string("required"), { at: 62, default: [] }),
  tailConsumers: set("either", tailConsumer, { at: 240, default: [] }),
  updatedOn: string("computed", { at: 273 }),
}
