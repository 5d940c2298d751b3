import * as z from "zod"

import { limits } from "../../plan/plan.ts"
import type { Noun } from "../../testing/noun.ts"

const written = { mood: "good", text: "x" }
const Page = z.object({
  items: z.array(z.object({ id: z.string(), text: z.string(), mood: z.string() })),
  nextCursor: z.string().nullable(),
})
const rows = "journal_entry (id, user_id, mood, text, created_at)"

export const journal: Noun = {
  visit: async ({ person, measure }) => {
    await measure("getTodayPrompt", () => person.get("getTodayPrompt"))
    const id = { of: "" }
    await measure("createEntry", async () => {
      id.of = String((await person.post("createEntry", written)).body["id"])
    })
    await measure("getEntry", () => person.get(`getEntry?id=${id.of}`))
    const part = "cursor=MS5hYmM&from=2026-01-01T00:00:00Z"
    await measure("listEntries", () => person.get(`listEntries?${part}`))
    await measure("listEntries by mood, at all times", () => person.get("listEntries?mood=good"))
    await measure("listEntries by mood", () => person.get(`listEntries?mood=good&${part}`))
  },
  unaudited: { "POST /api/v1/createEntry": "a member's own row" },
  reads: ["listEntries", "getEntry?id=x"],
  pages: [
    ["listEntries"],
    ["listEntries?cursor=MTcwMDAwMDAwMTAwMC5h"],
    ["listEntries?mood=awful"],
    ["listEntries?mood=good&from=2023-11-14T22:13:21Z"],
    ["listEntries?to=2023-11-14T22:13:21Z"],
  ],
  repeated: {
    createEntry: { rows: { journal_entry: 1 }, why: "a member may write the same twice" },
  },
  bounds: {
    journal_entry: [{ daily: (limits.premium.journal_entries * 12) / 365 }],
  },
  inserts: [["createEntry", written, /insert into "journal_entry"/]],
  collect: (person) => person.post("createEntry", written),
  listed: [
    { table: "journal_entry", column: "mood", path: "listEntries" },
    { table: "usage", column: "metric" },
  ],
  members: ({ id, recent }) => [
    `${rows} select 'journal' || i, ${id}, 'good', 'Walked along the river before work.', ${recent} from n`,
    `usage (user_id, period, metric, count) select ${id}, '2026-01', 'journal_entries', 1 from n`,
  ],
  many: (numbered) => [
    `insert into ${rows} ${numbered}
     select 'own' || i, ?1, 'good', 'x', 1700000000000 + i from n`,
  ],
  journeys: [
    {
      title: "a member keeps a journal: pages, filters, and the plan's limit",
      take: async ({ join, expect }) => {
        const [ada, grace] = [await join(), await join()]
        const moods = ["good", "low"]
        const texts = Array.from({ length: 60 }, (_, index) => `Entry ${index}`)
        for (const [index, text] of texts.entries()) {
          const entry = await ada.post("/api/v1/createEntry", { mood: moods[index % 2], text })
          expect(entry.status, entry.text).toBe(200)
        }
        const refused = await ada.post("/api/v1/createEntry", { mood: "good", text: "One more" })
        expect(refused).toMatchObject({ status: 402, json: { code: "PLAN_LIMIT_REACHED" } })
        expect((await ada.get("/api/v1/getPlanAndUsage")).text).toContain('"used":60')

        const list = async (query: string) =>
          Page.parse((await ada.get(`/api/v1/listEntries?${query}`)).json)
        const read: string[] = []
        let cursor: string | null = ""
        while (cursor !== null) {
          const page = await list(`limit=25${cursor && `&cursor=${cursor}`}`)
          read.push(...page.items.map(({ text }) => text))
          cursor = page.nextCursor
        }
        expect(read).toEqual(texts.toReversed())
        const low = await list("mood=low&limit=100")
        expect(low.items).toHaveLength(30)
        expect(new Set(low.items.map(({ mood }) => mood))).toEqual(new Set(["low"]))
        expect((await list("from=2999-01-01T00:00:00Z")).items).toEqual([])
        expect((await ada.get("/api/v1/listEntries?limit=0")).status).toBe(400)

        const id = low.items[0]?.id
        expect((await ada.get(`/api/v1/getEntry?id=${id}`)).status).toBe(200)
        expect((await grace.get(`/api/v1/getEntry?id=${id}`)).status).toBe(404)
        expect((await ada.get("/api/v1/exportData")).text).toContain("Entry 59")
      },
    },
  ],
}
