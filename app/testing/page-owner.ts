import { env } from "cloudflare:workers"

import type { Env } from "../service/platform/configuration/env.ts"
import { createReader } from "./page-reader.ts"
import { password } from "./person.ts"

/** An owner who has signed up on the pages. */
export async function openPageOwner(bound: Env) {
  const reader = createReader(bound)
  const email = `owner-${crypto.randomUUID()}@example.com`
  const form = await reader.open("/sign-up")
  await reader.submit(form, "sign-up", { name: "Ona", email, password })
  await env.DB.prepare("update user set role = 'owner' where email = ?").bind(email).run()
  const id = await env.DB.prepare("select id from user where email = ?").bind(email).first("id")
  return { reader, email, id: String(id) }
}
