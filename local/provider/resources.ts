import { type Fields, number, object, string } from "./property.ts"
import { worker } from "./worker.ts"

type Call = {
  method: "post" | "put"
  /** `{name}` stands for the property, `{id}` for the resource's id. */
  path: string
}

export type Resource = {
  fields: Fields
  create: Call
  /** Without it, a change that replaces nothing only goes to state. */
  update?: Call
  read: string
  /**
   * The output whose absence makes a read fail, and the parameter that the failure names. The official
   * provider (5.22 and 6.22.1) fills the path from the state's outputs, never from the id.
   */
  readBy?: { output: string; parameter: string }
  delete: string
  /** The property of the answer that is the id. */
  id: string
  /** The parts of an import id, in order. */
  importId: string[]
}

/**
 * The resources of `@pulumi/cloudflare` that this provider knows, as its pinned version declares
 * them and as the underlying Terraform provider plans them.
 */
export const resources: Readonly<Record<string, Resource>> = {
  "cloudflare:index/d1Database:D1Database": {
    fields: {
      accountId: string("required", { replace: "always", where: "path" }),
      createdAt: string("computed"),
      fileSize: number("computed"),
      jurisdiction: string("optional", { replace: "always", oneOf: ["eu", "fedramp", "us"] }),
      name: string("required", { replace: "always" }),
      numTables: number("computed"),
      primaryLocationHint: string("optional", {
        replace: "always",
        writeOnly: true,
        oneOf: ["wnam", "enam", "weur", "eeur", "apac", "oc"],
      }),
      // Not computed although Cloudflare always returns it, so a program without it gets a difference
      // after each refresh. The real provider has the same defect.
      readReplication: object("optional", {
        mode: string("required", { oneOf: ["auto", "disabled"] }),
      }),
      uuid: string("computed", { stable: true }),
      version: string("computed", { stable: true }),
    },
    create: { method: "post", path: "/accounts/{accountId}/d1/database" },
    update: { method: "put", path: "/accounts/{accountId}/d1/database/{id}" },
    read: "/accounts/{accountId}/d1/database/{id}",
    readBy: { output: "uuid", parameter: "database_id" },
    delete: "/accounts/{accountId}/d1/database/{id}",
    id: "uuid",
    importId: ["accountId", "id"],
  },

  "cloudflare:index/worker:Worker": {
    fields: worker,
    create: { method: "post", path: "/accounts/{accountId}/workers/workers" },
    update: { method: "put", path: "/accounts/{accountId}/workers/workers/{id}" },
    read: "/accounts/{accountId}/workers/workers/{id}",
    readBy: { output: "createdOn", parameter: "worker_id" },
    delete: "/accounts/{accountId}/workers/workers/{id}",
    id: "id",
    importId: ["accountId", "id"],
  },

  "cloudflare:index/workersCustomDomain:WorkersCustomDomain": {
    fields: {
      accountId: string("required", { replace: "always", where: "path" }),
      certId: string("computed"),
      environment: string("either", { replace: "configured" }),
      hostname: string("required", { replace: "always" }),
      service: string("required", { replace: "always" }),
      zoneId: string("either", { replace: "configured" }),
      zoneName: string("either", { replace: "configured" }),
    },
    create: { method: "put", path: "/accounts/{accountId}/workers/domains" },
    read: "/accounts/{accountId}/workers/domains/{id}",
    delete: "/accounts/{accountId}/workers/domains/{id}",
    id: "id",
    importId: ["accountId", "id"],
  },

  "cloudflare:index/workersRoute:WorkersRoute": {
    fields: {
      pattern: string("required"),
      script: string("optional"),
      zoneId: string("required", { replace: "always", where: "path" }),
    },
    create: { method: "post", path: "/zones/{zoneId}/workers/routes" },
    update: { method: "put", path: "/zones/{zoneId}/workers/routes/{id}" },
    read: "/zones/{zoneId}/workers/routes/{id}",
    delete: "/zones/{zoneId}/workers/routes/{id}",
    id: "id",
    importId: ["zoneId", "id"],
  },
}
