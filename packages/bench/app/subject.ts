import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"

import { build } from "esbuild"

import { bundling } from "../../../infra/bundle.ts"
import { root } from "../../tools/base/root.ts"
import { bundle, bundleSecond } from "../../tools/deploy/build/bundle.ts"
import { esm, type Script } from "../workerd.ts"

export const subjects = ["floor", "accounts", "peer"] as const
export type Subject = (typeof subjects)[number]

/** Their names in the tables. */
export const titles: Record<Exclude<Subject, "floor">, string> = {
  accounts: "Accounts",
  peer: "better-auth + Hono",
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
export async function buildScripts(): Promise<Script[]> {
  const floors = ["fetch", "query", "page", "scrypt"].map((name) => ({
    name: `floor-${name}`,
    modules: { "worker.js": esm(read("packages", "bench", "floor", `${name}.js`)) },
    // The same rows as the service reads.
    env: { DB: { type: "d1" as const, id: "accounts" } },
  }))
  return [...floors, await service("accounts"), await peer()]
}

/** Bundled with the options of the service's own Worker, except for what that leaves out. */
async function peer(): Promise<Script> {
  const { plugins: _plugins, ...options } = bundling
  const entryPoints = ["packages/bench/peer/worker.ts"]
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints,
    splitting: false,
    write: false,
  })
  return {
    name: "peer",
    modules: { "worker.js": esm(outputFiles[0]?.text ?? "") },
    env: {
      BETTER_AUTH_SECRET: secret,
      BETTER_AUTH_URL: text(url),
      DB: { type: "d1", id: "peer" },
    },
    database: { binding: "DB", schema: read("packages", "bench", "peer", "schema.sql") },
  }
}

/** @param name also of its database */
export async function service(name: string, { pages = false } = {}): Promise<Script> {
  const files = readdirSync(join(root, "migrations"))
  const migrations = files.filter((file) => file.endsWith(".sql")).toSorted()
  const { modules } = await bundle({ migrationsHead: migrations.at(-1) ?? "" })
  const uploaded = pages ? [...modules, ...(await bundleSecond())] : modules
  return {
    name,
    modules: Object.fromEntries(
      uploaded.map(({ name: path, content }) => [
        path,
        path.endsWith(".js")
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
      ...(pages && { PAGES: text("true"), PASSKEYS: text("bench.example") }),
    },
    database: {
      binding: "DB",
      schema: migrations.map((file) => read("migrations", file)).join("\n"),
    },
  }
}
