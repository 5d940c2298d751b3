import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { nouns } from "../../testing/nouns.ts"
import { createPerson } from "../../testing/person.ts"

test.each([
  ...nouns.flatMap(({ inserts }) => inserts),
  ["updateProfile", { name: "Bo" }, /update "user"/],
])(
  "A22: %s of an account that is deleted meanwhile answers as to nobody",
  async (name, body, at) => {
    const { database: DB, interrupt } = createInterruptedDatabase()
    const person = await createPerson(bind({ DB }))
    interrupt(at, () => env.DB.prepare("delete from user where id = ?").bind(person.id).run())
    expect(await person.post(name, body)).toMatchObject({
      status: 401,
      body: { code: "UNAUTHORIZED" },
    })
  },
)
