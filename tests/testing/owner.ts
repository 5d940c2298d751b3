import type { LocalCloudflare } from "../../cli/process/local-cloudflare.ts"
import { createApi } from "../../provider/api.ts"
import { openDatabase, type Database } from "../../provider/migrations/database.ts"

export const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

/** An address that SQL would trip over. */
export const mary = {
  name: "Mary",
  email: "mary.o'hara@example.com",
  password: "correct horse battery",
}

/** @param baseUrl another way to the API than the local Cloudflare's own */
export function databaseAt(
  { api, token, accountId }: LocalCloudflare,
  databaseId: string,
  baseUrl: string = api,
): Database {
  return openDatabase({ api: createApi({ baseUrl, token }), accountId, databaseId })
}

export async function rolesIn(database: Database) {
  return database.ask("SELECT name, role FROM user ORDER BY name")
}

/** What `owner grant --json` prints. */
export function answer(email: string, outcome: string) {
  return { stack: "local", email, outcome }
}
