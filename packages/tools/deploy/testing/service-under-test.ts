import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { createTables } from "@accounts-stack/d1-migrations/testing/internals"
import { workersDevHost } from "@accounts-stack/local/seed"
import * as z from "zod"

import { migrationsDirectory } from "../../base/root.ts"
import { ownNames, readMigrations } from "../../environment/own-names.ts"
import { project } from "../../environment/project/own-project.ts"
import { bundle } from "../build/bundle.ts"
import type { openAccount } from "./account.ts"

const Identified = z.object({ id: z.string() })

/** The SMOKE_KEY of every version. */
export const smokeKey = "a-key-for-releases-of-32-characters-or-more"

/** The real service with a migrated database; its versions are bound as a stack binds them. */
export async function setUpService(account: ReturnType<typeof openAccount>, scriptName: string) {
  const migrations = await readMigrations(migrationsDirectory)
  const databaseId = await account.createDatabase(scriptName)
  await account.query(databaseId, createTables(ownNames).ledger)
  for (const { name } of migrations) {
    await account.query(databaseId, await readFile(join(migrationsDirectory, name), "utf8"))
    await account.query(databaseId, `INSERT INTO d1_migrations (name) VALUES ('${name}')`)
  }
  const { modules } = await bundle({ migrationsHead: migrations.at(-1)?.name ?? "" })
  const workerId = await account.createWorker(scriptName)
  const url = `http://${workersDevHost(scriptName)}`

  return {
    url,
    databaseId,
    query: (sql: string) => account.query(databaseId, sql),
    users: () => account.query(databaseId, "select email from user"),
    /**
     * @param change edits worker.js
     * @param extraModules plain-text bindings
     */
    async createVersion(
      change: (module: string) => string = (text) => text,
      extraModules: Record<string, string> = {},
    ): Promise<string> {
      const texts = {
        ENVIRONMENT: "preview",
        AUTH_URL: url,
        WEB_URL: url,
        AUTH_SECRET: "s".repeat(32),
        ...extraModules,
      }
      const version = await account.call("POST", `/workers/workers/${workerId}/versions`, {
        main_module: "worker.js",
        compatibility_date: project.runtime.compatibilityDate,
        compatibility_flags: project.runtime.compatibilityFlags,
        modules: modules.map(({ name, content }) => ({
          name,
          content_type: name.endsWith(".js")
            ? "application/javascript+module"
            : "application/octet-stream",
          content_base64: Buffer.from(
            name === "worker.js" ? change(Buffer.from(content).toString()) : content,
          ).toString("base64"),
        })),
        bindings: [
          { type: "version_metadata", name: "VERSION" },
          { type: "d1", name: "DB", database_id: databaseId },
          { type: "secret_text", name: "SMOKE_KEY", text: smokeKey },
          ...Object.entries(texts).map(([name, text]) => ({ type: "plain_text", name, text })),
        ],
      })
      return Identified.parse(version).id
    },
  }
}
