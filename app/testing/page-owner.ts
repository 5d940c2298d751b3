import { env } from "cloudflare:workers"

import type { Env } from "../service/platform/configuration/env.ts"
import { createReader } from "./page-reader.ts"
import { password } from "./person.ts"

type Account = { name?: string; email?: string; change?: string }

/** Signs up on the pages, and then changes columns of the account, such as `role = 'owner'`. */
export async function openPageAccount(
  bound: Env,
  { name = "Ona", email = `page-${crypto.randomUUID()}@example.com`, change = "" }: Account = {},
) {
  const reader = createReader(bound)
  const form = await reader.open("/sign-up")
  const page = await reader.submit(form, "sign-up", { name, email, password })
  const set = (columns: string) =>
    env.DB.prepare(`update user set ${columns} where email = ?`).bind(email).run()
  const select = (column: string) =>
    env.DB.prepare(`select ${column} from user where email = ?`).bind(email).first<string>(column)
  if (change !== "") await set(change)
  /** Opens a page as if its address was typed, or its link clicked on another page. */
  const open = (path: string) => reader.open(path, { "sec-fetch-site": "same-origin" })
  return { reader, email, page, id: (await select("id")) ?? "", set, select, open }
}

/** An owner who has signed up on the pages. */
export function openPageOwner(bound: Env) {
  return openPageAccount(bound, { change: "role = 'owner'" })
}
