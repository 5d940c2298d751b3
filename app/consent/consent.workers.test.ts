import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import * as z from "zod"

import { accountHash } from "../service/platform/database/records.ts"
import { bind } from "../testing/browser.ts"
import { deleteByRun } from "../testing/due-deletion.ts"
import { createPerson, password } from "../testing/person.ts"
import { countRows } from "../testing/rows.ts"
import { consent } from "./testing/consent.ts"

const Page = z.object({
  items: z.array(z.object({ id: z.string() })),
  nextCursor: z.string().nullable(),
})

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

  const renewed = await person.post("recordConsent", input)
  expect(renewed.body["id"]).not.toBe(id)
  expect((await person.get("listConsents")).body).toEqual({
    items: expect.arrayContaining([renewed.body, withdrawn.body]),
    nextCursor: null,
  })
})

test("consent can be seen and withdrawn by its owner alone", async () => {
  const [person, stranger] = [await createPerson(), await createPerson()]
  const { body } = await person.post("recordConsent", { purpose: "terms", version: "1" })
  const foreign = await stranger.post("withdrawConsent", { id: body["id"] })
  expect(foreign.status).toBe(404)
  expect((await stranger.get("listConsents")).body).toEqual({ items: [], nextCursor: null })
  expect((await person.post("recordConsent", { purpose: "spam", version: "1" })).status).toBe(400)
})

test("consents are listed by pages, and end at a hundred", async () => {
  const person = await createPerson()
  const insert = env.DB.prepare(
    "insert into consent (id, user_id, purpose, version, granted_at) values (?, ?, 'terms', ?, ?)",
  )
  const rows = Array.from({ length: 99 }, (_, index) =>
    insert.bind(`consent_${person.id}_${index}`, person.id, String(index), 1_000 + (index % 7)),
  )
  await env.DB.batch(rows)
  expect((await person.post("recordConsent", { purpose: "terms", version: "100" })).status).toBe(
    200,
  )
  const full = await person.post("recordConsent", { purpose: "terms", version: "101" })
  expect([full.status, full.body]).toMatchObject([409, { code: "TOO_MANY_CONSENTS" }])
  expect((await person.post("recordConsent", { purpose: "terms", version: "7" })).status).toBe(200)

  const ids = new Set<unknown>()
  let cursor: string | null = ""
  while (cursor !== null) {
    const query = cursor === "" ? "?limit=40" : `?limit=40&cursor=${cursor}`
    const { body } = await person.get(`listConsents${query}`)
    const { items, nextCursor } = Page.parse(body)
    for (const { id } of items) ids.add(id)
    cursor = nextCursor
  }
  expect(ids.size).toBe(100)
})

test("a version of a document has no room for a member's own words", async () => {
  const person = await createPerson()
  const record = (version: string) => person.post("recordConsent", { purpose: "terms", version })
  const words = [
    "Ada Lovelace, Main St.",
    "v1",
    "x",
    "",
    " 1",
    "1\n",
    "1.",
    "12345",
    "1.2.3.4.5",
    "١",
  ]
  for (const version of words) {
    const { status, body } = await record(version)
    expect({ version, status, body }).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } })
  }
  for (const version of ["2026-10", "2026-10-31", "1", "1.0.0", "2026.2"]) {
    expect({ version, status: (await record(version)).status }).toEqual({ version, status: 200 })
  }
})

test("A38: equal consents that are given at the same time are one", async () => {
  const person = await createPerson()
  const input = { purpose: "terms", version: "1" }
  const consents = await Promise.all(
    Array.from({ length: 8 }, () => person.post("recordConsent", input)),
  )
  expect(new Set(consents.map(({ body }) => body["id"])).size).toBe(1)
})

test("records of consent outlive the account, without its data", async () => {
  const person = await createPerson()
  const { body } = await person.post("recordConsent", { purpose: "terms", version: "1" })
  await person.browser.post("/api/auth/delete-user", { password })
  const { results } = await env.DB.prepare("select * from kept_consent where id = ?")
    .bind(body["id"])
    .all()
  expect(results).toMatchObject([
    { account_hash: accountHash(person.id), purpose: "terms", version: "1", withdrawn_at: null },
  ])
})

test("what was agreed to is kept of an account that the hourly run deletes", async () => {
  const person = await createPerson(bind())
  await consent.collect?.(person)
  const rows = await countRows("consent", "user_id", person.id)
  expect(rows).toBeGreaterThan(0)
  expect(await deleteByRun(person.id)).toBeNull()
  expect(await countRows("consent", "user_id", person.id)).toBe(0)
  expect(await countRows("kept_consent", "account_hash", accountHash(person.id))).toBe(rows)
})
