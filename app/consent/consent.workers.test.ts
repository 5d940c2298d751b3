import { expect, test } from "vitest"

import { createPerson } from "../testing/person.ts"

test("consent is recorded once, listed, withdrawn, and can be given again", async () => {
  const person = await createPerson()
  const input = { purpose: "marketing", version: "2026-11" }
  const recorded = await person.post("recordConsent", input)
  expect(recorded.body).toMatchObject({
    id: expect.stringMatching(/^consent_/),
    ...input,
    withdrawnAt: null,
  })
  expect((await person.post("recordConsent", input)).body).toEqual(recorded.body)

  const id = String(recorded.body["id"])
  const withdrawn = await person.post("withdrawConsent", { id })
  expect(withdrawn.body["withdrawnAt"]).toEqual(expect.any(String))
  expect((await person.post("withdrawConsent", { id })).body).toEqual(withdrawn.body)

  const again = await person.post("recordConsent", input)
  expect(again.body["id"]).not.toBe(id)
  expect((await person.get("listConsents")).body).toEqual({
    items: expect.arrayContaining([again.body, withdrawn.body]),
  })
})

test("consent can be seen and withdrawn by its owner alone", async () => {
  const [person, stranger] = [await createPerson(), await createPerson()]
  const { body } = await person.post("recordConsent", { purpose: "terms", version: "1" })
  const foreign = await stranger.post("withdrawConsent", { id: body["id"] })
  expect(foreign.status).toBe(404)
  expect((await stranger.get("listConsents")).body).toEqual({ items: [] })
  expect((await person.post("recordConsent", { purpose: "spam", version: "1" })).status).toBe(400)
})
