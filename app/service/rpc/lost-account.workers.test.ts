import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { createPerson } from "../../testing/person.ts"
import { createResultInput } from "../../testing/result.ts"

test.each([
  ["createEntry", { mood: "good", text: "x" }, /insert into "journal_entry"/],
  ["createResult", createResultInput(), /insert into "compatibility_result"/],
  ["recordConsent", { purpose: "terms", version: "1" }, /insert into "consent"/],
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

test("A24: texts without a visible character, and with lone surrogates, are refused", async () => {
  const person = await createPerson()
  for (const text of ["\0", "\u200b\ufeff", "\ud800"]) {
    expect((await person.post("createEntry", { mood: "good", text })).status).toBe(400)
    const input = createResultInput()
    expect((await person.post("createResult", { ...input, partnerName: text })).status).toBe(400)
  }
  const { lite, deepInsights, ...rest } = createResultInput()
  const odd = "a\ud800"
  for (const changed of [
    { lite: { ...lite, summary: odd }, deepInsights },
    { lite, deepInsights: { sections: [{ title: odd, body: "x" }] } },
  ]) {
    expect((await person.post("createResult", { ...rest, ...changed })).status).toBe(400)
  }
})
