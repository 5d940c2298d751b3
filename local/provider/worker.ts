import { boolean, type Fields, list, number, object, set, string } from "./property.ts"

const propagation = { oneOf: ["authenticated", "accept"] } as const
const destinations = list("either", string("required"), { stable: true })

const logs: Fields = {
  destinations,
  enabled: boolean("either", { default: false }),
  headSamplingRate: number("either", { default: 1 }),
  invocationLogs: boolean("either", { default: true }),
  persist: boolean("either", { default: true }),
}

const traces: Fields = {
  destinations,
  enabled: boolean("either", { default: false }),
  headSamplingRate: number("either", { default: 1 }),
  persist: boolean("either", { default: true }),
}

const observability: Fields = {
  enabled: boolean("either", { default: false }),
  headSamplingRate: number("either", { default: 1 }),
  issues: object("either", { enabled: boolean("either", { default: false }) }, { stable: true }),
  logs: object("either", logs, { stable: true }),
}

const tailConsumer = object("required", { name: string("required") })

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

/**
 * The settings of a program that sets none. The schema has `logs` here too, but plans them as unknown, because
 * they have no default of their own: Cloudflare chooses (5.22.0, worker/schema.go:94 and :195).
 */
const observabilityDefault = {
  enabled: false,
  headSamplingRate: 1,
  traces: { destinations: [], enabled: false, headSamplingRate: 1, persist: true },
}

export const worker: Fields = {
  accountId: string("required", { replace: "always", where: "path" }),
  createdOn: string("computed", { stable: true }),
  deployedOn: string("computed"),
  logpush: boolean("either", { default: false }),
  name: string("required"),
  observability: object(
    "either",
    {
      ...observability,
      traces: object(
        "either",
        {
          ...traces,
          // terraform-provider-cloudflare 5.22.0, internal/services/worker: resource.go:187 and :267,
          // observability.go:16, custom.go:55. The next change sends it, and an account may not have it.
          propagationPolicy: string("either", {
            ...propagation,
            stable: true,
            imported: "authenticated",
          }),
        },
        { stable: true, default: observabilityDefault.traces },
      ),
    },
    { stable: true, default: observabilityDefault },
  ),
  references: object("computed", references),
  subdomain: object(
    "either",
    {
      enabled: boolean("either", { default: false }),
      previewUrlSuffix: string("computed"),
      previewsEnabled: boolean("either", { defaultFrom: "enabled" }),
      url: string("computed"),
    },
    { default: { enabled: false, previewsEnabled: false } },
  ),
  tags: set("either", string("required"), { default: [] }),
  tailConsumers: set("either", tailConsumer, { default: [] }),
  updatedOn: string("computed"),
}
