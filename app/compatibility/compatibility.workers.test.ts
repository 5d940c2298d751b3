import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { stopClock } from "../testing/clock.ts"
import { createPerson, type Person } from "../testing/person.ts"
import { repeat } from "../testing/repeat.ts"
import { createResultInput } from "./testing/result.ts"

async function create(person: Person) {
  const { body } = await person.post("createResult", createResultInput())
  return String(body["id"])
}

test("create-result stores both parts and returns only the free one", async () => {
  const person = await createPerson()
  const input = createResultInput()
  const { status, body } = await person.post("createResult", input)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: expect.stringMatching(/^compatibility_result_[0-9a-z]{24}$/),
    partnerName: "Grace",
    schemaVersion: 1,
    lite: input.lite,
    deepInsights: null,
    unlocked: false,
    paymentId: null,
  })
  expect(JSON.stringify(body)).not.toContain("what is paid for")
})

test.each([
  { schemaVersion: 2 },
  { lite: { score: 101, summary: "x", traits: [] } },
  { lite: { score: 50, summary: "x", traits: [], extra: true } },
  { deepInsights: { sections: [] } },
  { deepInsights: { sections: [{ title: "t", body: "x".repeat(4001) }] } },
  { unlocked: true },
])("create-result rejects input %#", async (changes) => {
  const person = await createPerson()
  const input = { ...createResultInput(), ...changes }
  expect((await person.post("createResult", input)).status).toBe(400)
})

test("create-result stops at the plan's limit", async () => {
  using _ = stopClock()
  const person = await createPerson()
  const statuses = await repeat(
    6,
    async () => (await person.post("createResult", createResultInput())).status,
  )
  expect(statuses).toEqual([200, 200, 200, 200, 200, 402])
})

test("get-result and list-results are for the owner alone", async () => {
  const [owner, stranger] = [await createPerson(), await createPerson()]
  const id = await create(owner)
  expect((await owner.get(`getResult?id=${id}`)).body).toMatchObject({ id, deepInsights: null })
  const foreign = await stranger.get(`getResult?id=${id}`)
  expect(foreign.status).toBe(404)
  expect(foreign).toEqual(await stranger.get("getResult?id=compatibility_result_0"))
  expect((await stranger.get("listResults")).body).toEqual({ items: [], nextCursor: null })
  expect((await owner.get("listResults")).body).toEqual({
    items: [
      {
        id,
        partnerName: "Grace",
        schemaVersion: 1,
        unlocked: false,
        paymentId: null,
        paymentStatus: null,
        createdAt: expect.any(String),
      },
    ],
    nextCursor: null,
  })
})

test("A38: results that are stored at the same time are as many as the plan has", async () => {
  const person = await createPerson()
  const results = await Promise.all(
    Array.from({ length: 9 }, () => person.post("createResult", createResultInput())),
  )
  const statuses = results.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([...Array.from({ length: 5 }, () => 200), 402, 402, 402, 402])
})

test("A24: texts of a result without a visible character, and with lone surrogates, are refused", async () => {
  const person = await createPerson()
  const { lite, deepInsights, ...rest } = createResultInput()
  for (const partnerName of ["\0", "\u200b\ufeff", "\ud800"]) {
    const input = { ...createResultInput(), partnerName }
    expect((await person.post("createResult", input)).status).toBe(400)
  }
  const odd = "a\ud800"
  for (const changed of [
    { lite: { ...lite, summary: odd }, deepInsights },
    { lite, deepInsights: { sections: [{ title: odd, body: "x" }] } },
  ]) {
    expect((await person.post("createResult", { ...rest, ...changed })).status).toBe(400)
  }
})

test("the export has the deep insights of a result once they have been paid for", async () => {
  const person = await createPerson()
  await person.post("createResult", createResultInput())
  const { lite, deepInsights } = createResultInput()
  const exported = async () => (await person.get("exportData")).body["compatibilityResults"]
  expect(await exported()).toMatchObject([{ lite, unlocked: false, deepInsights: null }])
  await env.DB.prepare("update compatibility_result set unlocked_at = 1 where user_id = ?")
    .bind(person.id)
    .run()
  expect(await exported()).toMatchObject([{ unlocked: true, deepInsights }])
})
