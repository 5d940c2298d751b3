import { env } from "cloudflare:workers"
import { eq, sql } from "drizzle-orm"
import { expect, test } from "vitest"

import { schema } from "../../../schema.ts"
import { createCountingDatabase } from "../../../testing/counting-database.ts"
import { audit } from "../audit/audit.ts"
import { user } from "./auth.table.ts"
import { createDatabase, sendChange, sendNamed } from "./database.ts"

test("a change runs after what shares its condition, however it is written, or does not compile", async () => {
  const counting = createCountingDatabase(env.DB)
  const database = createDatabase(counting.database, schema)
  const entry = audit({ database, actorId: null, action: "invite", when: sql`false` })
  const change = database.update(user).set({ name: "Bo" }).where(eq(user.id, "nobody"))
  const after = database.select({ id: user.id }).from(user).where(eq(user.id, "nobody"))
  const statements = await counting.during(async () => {
    const results = await sendChange(database, {
      after: { after },
      change: { change },
      before: { entry },
    })
    expect(results).toMatchObject({ entry: [], after: [] })
  })
  expect(
    statements.flatMap((batch) => batch.split(";\n")).map((text) => text.split(" ")[0]),
  ).toEqual(["insert", "update", "select"])

  // @ts-expect-error -- an entry beside the change: it is written under the condition, or once it is done
  void (() => sendChange(database, { change: { change, entry } }))
  // @ts-expect-error -- a batch that does not say where its entry stands
  void (() => sendNamed(database, { entry, change }))
})
