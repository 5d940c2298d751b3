import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"

import { bundle } from "../../infra/bundle.ts"
import { bundlePeer, installPeers } from "./peers.ts"

export const subjects = ["floor", "accounts", "documented", "cloudflare"] as const
export type Subject = (typeof subjects)[number]

/** Their names in the tables. */
export const titles: Record<Subject, string> = {
  floor: "floor",
  accounts: "Accounts",
  documented: "better-auth + Hono",
  cloudflare: "better-auth-cloudflare",
}

type Binding =
  | { type: "text"; value: string }
  | { type: "json"; value: Record<string, string> }
  | { type: "d1" | "kv"; id: string }
  | { type: "rate-limit"; namespace: string; simple: { limit: number; period: 10 | 60 } }

type Module =
  | { type: "esm"; contents: string }
  | { type: "data"; contents: Uint8Array<ArrayBuffer> }

/** A Worker of the run; `schema` is applied to its database. */
export type Script = {
  name: string
  modules: Record<string, Module>
  env: Record<string, Binding>
  database?: { binding: string; schema: string }
}

const root = join(import.meta.dirname, "../..")
function read(...path: string[]) {
  return readFileSync(join(root, ...path), "utf8")
}
function esm(contents: string): Module {
  return { type: "esm", contents }
}
const secret = "a-secret-of-the-benchmark-and-of-nothing-else"
/** The origin that every Worker is configured with. */
export const url = "https://api.bench.example"

/** Never reached: the cost of counting a request is measured, not the saving of rejecting it. */
function limit(namespace: string): Binding {
  return {
    type: "rate-limit",
    namespace,
    simple: { limit: 1_000_000_000, period: 60 },
  }
}

/** Builds every Worker that is measured, to run in one workerd. */
export async function buildScripts(): Promise<{ scripts: Script[]; peers: string }> {
  const peers = await installPeers()
  const migrations = readdirSync(join(root, "migrations"))
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
  const { modules } = await bundle({ migrationsHead: migrations.at(-1) ?? "" })
  const floors = ["fetch", "query", "scrypt"].map((name) => ({
    name: `floor-${name}`,
    modules: { "worker.js": esm(read("bench", "floor", `${name}.js`)) },
    // The same rows as the service reads.
    env: { DB: { type: "d1" as const, id: "accounts" } },
  }))
  const accounts: Script = {
    name: "accounts",
    modules: Object.fromEntries(
      modules.map(({ name, content }) => [
        name,
        name === "worker.js"
          ? esm(Buffer.from(content).toString())
          : { type: "data", contents: Uint8Array.from(content) },
      ]),
    ),
    env: {
      DB: { type: "d1", id: "accounts" },
      VERSION: { type: "json", value: { id: "bench", tag: "bench", timestamp: "" } },
      LIMIT_ADDRESS: limit("1"),
      LIMIT_EMAIL: limit("2"),
      ENVIRONMENT: { type: "text", value: "production" },
      NODE_ENV: { type: "text", value: "production" },
      AUTH_SECRET: { type: "text", value: secret },
      AUTH_URL: { type: "text", value: url },
      WEB_URL: { type: "text", value: "https://bench.example" },
      VERIFY_EMAIL: { type: "text", value: "false" },
    },
    database: {
      binding: "DB",
      schema: migrations.map((name) => read("migrations", name)).join("\n"),
    },
  }
  const settings: Record<string, Binding> = {
    BETTER_AUTH_SECRET: { type: "text", value: secret },
    BETTER_AUTH_URL: { type: "text", value: url },
  }
  const schemaOf = (peer: string) =>
    read("bench", "peers", peer, "schema.sql") + read("bench", "peers", "entry.sql")
  const documented: Script = {
    name: "documented",
    modules: { "worker.js": esm(await bundlePeer(peers, "documented/worker.ts")) },
    env: { ...settings, DB: { type: "d1", id: "documented" } },
    database: { binding: "DB", schema: schemaOf("documented") },
  }
  const cloudflare: Script = {
    name: "cloudflare",
    modules: { "worker.js": esm(await bundlePeer(peers, "cloudflare/worker.ts")) },
    env: {
      ...settings,
      DATABASE: { type: "d1", id: "cloudflare" },
      KV: { type: "kv", id: "cloudflare" },
    },
    database: { binding: "DATABASE", schema: schemaOf("cloudflare") },
  }
  return { scripts: [...floors, accounts, documented, cloudflare], peers }
}
