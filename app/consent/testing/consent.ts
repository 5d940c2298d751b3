import * as z from "zod"

import type { Noun } from "../../testing/noun.ts"
import { capacity, keptDays } from "../consent.table.ts"

const terms = { purpose: "terms", version: "1" }

export const consent: Noun = {
  visit: async ({ person, measure }) => {
    const id = { of: "" }
    await measure("recordConsent", async () => {
      id.of = String((await person.post("recordConsent", terms)).body["id"])
    })
    await measure("listConsents", () => person.get("listConsents"))
    await measure("withdrawConsent", () => person.post("withdrawConsent", { id: id.of }))
  },
  unaudited: {
    "POST /api/v1/recordConsent": "the consent itself says when it was given",
    "POST /api/v1/withdrawConsent": "the consent itself says when it was withdrawn",
  },
  reads: ["listConsents"],
  pages: [["listConsents?limit=20"], ["listConsents?limit=20&cursor=MTcwMDAwMDAwMTAwMC5h"]],
  bounds: {
    consent: [{ most: capacity }],
    // An address deletes an account a day.
    kept_consent: [{ daily: capacity, days: keptDays }],
  },
  inserts: [["recordConsent", terms, /insert into "consent"/]],
  collect: (person) => person.post("recordConsent", terms),
  listed: [{ table: "consent", column: "purpose", path: "listConsents" }],
  exempt: ["kept_consent"],
  members: ({ id, joined }) => [
    `consent (id, user_id, purpose, version, granted_at)
     select 'consent' || i, ${id}, 'terms', '1', ${joined} from n`,
  ],
  many: (numbered) => [
    `insert into consent (id, user_id, purpose, version, granted_at)
     ${numbered} select 'own' || i, ?1, 'terms', i, 1700000000000 + i from n`,
  ],
  journeys: [
    {
      title: "a member gives and withdraws a consent",
      take: async ({ join, expect }) => {
        const ada = await join()
        const recorded = await ada.post("/api/v1/recordConsent", terms)
        const { id } = z.object({ id: z.string() }).parse(recorded.json)
        expect((await ada.post("/api/v1/withdrawConsent", { id })).json).toMatchObject({
          withdrawnAt: expect.any(String),
        })
        expect((await ada.get("/api/v1/listConsents")).json).toMatchObject({ items: [{ id }] })
      },
    },
  ],
}
