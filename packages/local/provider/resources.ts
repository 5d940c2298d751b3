import { type Fields, number, object, string } from "./property.ts"
import { worker } from "./worker.ts"

type Call = {
  method: "post" | "put"
  /** `{name}` is replaced by the property, `{id}` by the resource's id. */
  path: string
}

export type Resource = {
  fields: Fields
  create: Call
  /** The folder in terraform-provider-cloudflare 5.22.0, and the lines of its methods in `resource.go`. */
  source: {
    folder: string
    create: number
    update: number
    read: number
    delete: number
    import: number
  }
  /** If absent, a change without replacement is only stored in state. */
  update?: Call
  read: string
  delete: string
  /** The property of the response and of the state that has the id. */
  id: string
  /** The parameter's name in Cloudflare's SDK. */
  idParameter: string
  /** The parts of an import id, in order. */
  importId: string[]
}

/** The version of `@pulumi/cloudflare`. */
export const version = "6.22.1"

/**
 * The resources of `@pulumi/cloudflare` that the program uses, as in terraform-provider-cloudflare 5.22.0.
 * `rows.test.ts` tests each row with the stand-in, and with the official provider if installed.
 * docs/cloudflare-provider.md is generated from this table.
 */
export const resources: Readonly<Record<string, Resource>> = {
  "cloudflare:index/d1Database:D1Database": {
    source: { folder: "d1_database", create: 58, update: 99, read: 149, delete: 190, import: 216 },
    fields: {
      accountId: string("required", { at: 40, replace: "always", where: "path" }),
      createdAt: string("computed", { at: 86 }),
      fileSize: number("computed", { at: 91 }),
      // `us` is newer than 5.22.0; the provider of the pinned SDK takes it.
      jurisdiction: string("optional", {
        at: 50,
        replace: "always",
        oneOf: ["eu", "fedramp", "us"],
      }),
      name: string("required", { at: 45, replace: "always" }),
      numTables: number("computed", { at: 95 }),
      primaryLocationHint: string("optional", {
        at: 58,
        replace: "always",
        writeOnly: true,
        oneOf: ["wnam", "enam", "weur", "eeur", "apac", "oc"],
      }),
      // Not computed although Cloudflare always returns it, so a program without it gets a difference
      // after each refresh. The real provider has the same defect.
      readReplication: object(
        "optional",
        { mode: string("required", { at: 77, oneOf: ["auto", "disabled"] }) },
        { at: 73 },
      ),
      uuid: string("computed", { at: 35, stable: true }),
      version: string("computed", { at: 98 }),
    },
    create: { method: "post", path: "/accounts/{accountId}/d1/database" },
    update: { method: "put", path: "/accounts/{accountId}/d1/database/{id}" },
    read: "/accounts/{accountId}/d1/database/{id}",
    delete: "/accounts/{accountId}/d1/database/{id}",
    id: "uuid",
    idParameter: "database_id",
    importId: ["accountId", "id"],
  },

  "cloudflare:index/worker:Worker": {
    source: { folder: "worker", create: 59, update: 99, read: 148, delete: 197, import: 222 },
    fields: worker,
    create: { method: "post", path: "/accounts/{accountId}/workers/workers" },
    update: { method: "put", path: "/accounts/{accountId}/workers/workers/{id}" },
    read: "/accounts/{accountId}/workers/workers/{id}",
    delete: "/accounts/{accountId}/workers/workers/{id}",
    id: "id",
    idParameter: "worker_id",
    importId: ["accountId", "id"],
  },

  "cloudflare:index/workersCustomDomain:WorkersCustomDomain": {
    source: {
      folder: "workers_custom_domain",
      create: 60,
      update: 100,
      read: 104,
      delete: 144,
      import: 179,
    },
    fields: {
      accountId: string("required", { at: 32, replace: "always", where: "path" }),
      certId: string("computed", { at: 66 }),
      environment: string("either", { at: 47, replace: "configured" }),
      hostname: string("required", { at: 37, replace: "always" }),
      service: string("required", { at: 42, replace: "always" }),
      zoneId: string("either", { at: 54, replace: "configured" }),
      zoneName: string("either", { at: 60, replace: "configured" }),
    },
    create: { method: "put", path: "/accounts/{accountId}/workers/domains" },
    read: "/accounts/{accountId}/workers/domains/{id}",
    delete: "/accounts/{accountId}/workers/domains/{id}",
    id: "id",
    idParameter: "domain_id",
    importId: ["accountId", "id"],
  },

  "cloudflare:index/workersRoute:WorkersRoute": {
    source: {
      folder: "workers_route",
      create: 58,
      update: 98,
      read: 147,
      delete: 187,
      import: 212,
    },
    fields: {
      pattern: string("required", { at: 38 }),
      script: string("optional", { at: 42 }),
      zoneId: string("required", { at: 33, replace: "always", where: "path" }),
    },
    create: { method: "post", path: "/zones/{zoneId}/workers/routes" },
    update: { method: "put", path: "/zones/{zoneId}/workers/routes/{id}" },
    read: "/zones/{zoneId}/workers/routes/{id}",
    delete: "/zones/{zoneId}/workers/routes/{id}",
    id: "id",
    idParameter: "route_id",
    importId: ["zoneId", "id"],
  },
}
