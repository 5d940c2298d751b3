import { execFile } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"

import type { LocalCloudflare } from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import { wranglerProject } from "@accounts-stack/local/cloudflare/testing/wrangler"

import { root } from "../../base/root.ts"
import { cachedProgram, nodeProgramMissing } from "./cached-program.ts"

const main = join(root, "packages/d1-migrations/main.js")
const drizzle = cachedProgram("drizzle-kit", "1.0.0-rc.5")

/** The release that writes a folder for each migration. */
export function newDrizzleKitMissing(): Promise<string | undefined> {
  return nodeProgramMissing(drizzle, { dependencies: { "drizzle-orm": "1.0.0-rc.5" } })
}

export type ForeignOptions = {
  cloudflare: LocalCloudflare
  /** Of its database in wrangler's settings. */
  settings?: Record<string, unknown>
  files?: Record<string, string>
  /** Versions of drizzle-kit and drizzle-orm. */
  packages?: "pinned" | "new"
}

/** A project with wrangler's settings, a database, and no file of this repository. */
export async function foreignProject({
  cloudflare,
  settings = {},
  files = {},
  packages = "pinned",
}: ForeignOptions) {
  const client = await cloudflare.client()
  const name = `foreign-${crypto.randomUUID()}`
  const created = await client.d1.database.create({ account_id: cloudflare.accountId, name })
  const database = { binding: "DB", database_name: name, database_id: created.uuid, ...settings }
  const config = { name: "foreign", d1_databases: [database] }
  const wrangler = await wranglerProject({ cloudflare, config, files })
  const { directory, environment } = wrangler
  const home = packages === "pinned" ? root : drizzle.folder
  symlinkSync(join(home, "node_modules"), join(directory, "node_modules"))

  const node = (args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { ...environment, LOCAL_CLOUDFLARE_API: cloudflare.api }
      const options = { cwd: directory, env }
      execFile(process.execPath, args, options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      )
    })
  return {
    directory,
    databaseId: created.uuid,
    read: wrangler.read,
    write: wrangler.write,
    wrangler: (...args: string[]) => wrangler.run(["d1", ...args]),
    /** The SQL is run by wrangler. */
    execute: (sql: string) =>
      wrangler.run(["d1", "execute", "DB", "--remote", "--json", "--command", sql]),
    /** Output of `wrangler d1 migrations list`. */
    pending: () => wrangler.run(["d1", "migrations", "list", "DB", "--remote"]),
    async drizzleKit(...args: string[]) {
      const { code, stdout, stderr } = await node([
        "--require",
        join(import.meta.dirname, "drizzle-kit/redirect.cjs"),
        join(home, "node_modules/drizzle-kit/bin.cjs"),
        ...args,
      ])
      if (code !== 0) throw new Error(`drizzle-kit ${args.join(" ")}\n${stdout}\n${stderr}`)
    },
    migrations: (...args: string[]) => node(["--no-warnings", main, ...args]),
    [Symbol.asyncDispose]: () => wrangler[Symbol.asyncDispose](),
  }
}

export type ForeignProject = Awaited<ReturnType<typeof foreignProject>>
