import type { Database } from "@accounts-stack/d1-migrations/d1"

import type { LocalCloudflare } from "../../cli/process/local-cloudflare.ts"
import { createApi } from "../../deploy/api.ts"
import { openDatabase } from "../../environment/own-names.ts"

export const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

/** Her address contains a quote, which SQL has to escape. */
export const mary = {
  name: "Mary",
  email: "mary.o'hara@example.com",
  password: "correct horse battery",
}

/** @param baseUrl URL of a proxy to the API; default: the local Cloudflare's own */
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

/** The output of `owner grant --json`. */
export function grantOutput(email: string, outcome: string) {
  return { stack: "local", email, outcome }
}
