import { createScheduledController } from "cloudflare:test"
import { env } from "cloudflare:workers"

import worker from "../worker.ts"
import { bind } from "./browser.ts"

/** Lets the hourly run delete an account, as if seven days had passed since an admin said so. */
export async function deleteByRun(userId: string) {
  const due = "update user set suspended_at = 1, delete_at = 1 where id = ?"
  await env.DB.prepare(due).bind(userId).run()
  await worker.scheduled(createScheduledController(), bind())
  return env.DB.prepare("select id from user where id = ?").bind(userId).first("id")
}
