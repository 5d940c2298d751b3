import { expect, test } from "vitest"

import { stopClock } from "../testing/clock.ts"
import { createPerson, type Person } from "../testing/person.ts"
import { createResultInput } from "../testing/result.ts"

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
  const statuses: number[] = []
  for (let count = 0; count < 6; count += 1) {
    statuses.push((await person.post("createResult", createResultInput())).status)
  }
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
        createdAt: expect.any(String),
      },
    ],
    nextCursor: null,
  })
})
