import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"

import { root } from "../../base/root.ts"
import { bundle } from "../../infra/bundle.ts"
import { esm, type Script } from "../workerd.ts"
import { bundlePeer, installPeers } from "./peers.ts"

export const subjects = ["floor", "accounts", "documented", "cloudflare"] as const
export type Subject = (typeof subjects)[number]

/** Their names in the tables. */
export const titles: Record<Exclude<Subject, "floor">, string> = {
  accounts: "Accounts",
  documented: "better-auth + Hono",
  cloudflare: "better-auth-cloudflare",
}

/** The origin that every Worker is configured with. */
export const url = "https://api.bench.example"
const secret = text("a-secret-of-the-benchmark-and-of-nothing-else")

function read(...path: string[]) {
  return readFileSync(join(root, ...path), "utf8")
}
function text(value: string) {
  return { type: "text" as const, value }
}
/** Never reached: the cost of counting a request is measured, not the saving of rejecting it. */
function limit(namespace: string) {
  const simple = { limit: 1_000_000_000, period: 60 as const }
  return { type: "rate-limit" as const, namespace, simple }
}

/** Builds every Worker that is measured, to run in one workerd. */
export async function buildScripts(): Promise<{ scripts: Script[]; peers: string }> {
  const peers = await installPeers()
  const floors = ["fetch", "query", "page", "scrypt"].map((name) => ({
    name: `floor-${name}`,
    modules: { "worker.js": esm(read("bench", "floor", `${name}.js`)) },
    // The same rows as the service reads.
    env: { DB: { type: "d1" as const, id: "accounts" } },
  }))
  const peer = async (name: Subject, binding: string): Promise<Script> => ({
    name,
    modules: { "worker.js": esm(await bundlePeer(peers, `${name}/worker.ts`)) },
    env: {
      BETTER_AUTH_SECRET: secret,
      BETTER_AUTH_URL: text(url),
      KV: { type: "kv", id: name },
      [binding]: { type: "d1", id: name },
    },
    database: { binding, schema: peerSchema(name) },
  })
  return {
    peers,
    scripts: [
      ...floors,
      await service("accounts"),
      await peer("documented", "DB"),
      await peer("cloudflare", "DATABASE"),
    ],
  }
}

function peerSchema(name: string) {
  return read("bench", "peers", name, "schema.sql") + read("bench", "peers", "entry.sql")
}

/** @param name also of its database */
export async function service(name: string): Promise<Script> {
  const files = readdirSync(join(root, "migrations"))
  const migrations = files.filter((file) => file.endsWith(".sql")).toSorted()
  const { modules } = await bundle({ migrationsHead: migrations.at(-1) ?? "" })
  return {
    name,
    modules: Object.fromEntries(
      modules.map(({ name: path, content }) => [
        path,
        path === "worker.js"
          ? esm(Buffer.from(content).toString())
          : { type: "data", contents: Uint8Array.from(content) },
      ]),
    ),
    env: {
      DB: { type: "d1", id: name },
      VERSION: { type: "json", value: { id: "bench", tag: "bench", timestamp: "" } },
      LIMIT_ADDRESS: limit("1"),
      LIMIT_EMAIL: limit("2"),
      ENVIRONMENT: text("production"),
      NODE_ENV: text("production"),
      AUTH_SECRET: secret,
      AUTH_URL: text(url),
      WEB_URL: text("https://bench.example"),
      VERIFY_EMAIL: text("false"),
    },
    database: {
      binding: "DB",
      schema: migrations.map((file) => read("migrations", file)).join("\n"),
    },
  }
}
