import { env } from "cloudflare:workers"

import type { Env } from "../service/platform/configuration/env.ts"
import type { Role } from "../service/platform/database/auth.table.ts"
import { createPerson } from "./person.ts"

/** A user of a role, whose session is back before each request. */
export async function createRestorablePerson(bound: Env, role: Role) {
  const person = await createPerson(bound, role)
  const rows = await Promise.all(
    ["user", "session"].map(async (name) => {
      const column = name === "user" ? "id" : "user_id"
      const row = await env.DB.prepare(`select * from ${name} where ${column} = ?`)
        .bind(person.id)
        .first()
      return { name, row: row ?? {} }
    }),
  )
  const restore = rows.map(({ name, row }) => {
    const columns = Object.keys(row)
    return env.DB.prepare(
      `insert into ${name} (${columns.join()}) values (${columns.map(() => "?").join()})
       on conflict (id) do update set ${columns.map((column) => `${column} = excluded.${column}`).join()}`,
    ).bind(...Object.values(row))
  })
  return { cookies: person.browser.cookies, restore: () => env.DB.batch(restore), id: person.id }
}

export type RestorablePerson = Awaited<ReturnType<typeof createRestorablePerson>>
