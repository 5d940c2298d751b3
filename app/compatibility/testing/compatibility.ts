import * as z from "zod"

import { limits } from "../../plan/plan.ts"
import type { Noun } from "../../testing/noun.ts"
import { createResultInput } from "./result.ts"

const Id = z.object({ id: z.string() })

export const compatibility: Noun = {
  visit: async ({ person, measure }) => {
    const id = { of: "" }
    await measure("createResult", async () => {
      id.of = String((await person.post("createResult", createResultInput())).body["id"])
    })
    await measure("getResult", () => person.get(`getResult?id=${id.of}`))
    await measure("listResults", () => person.get("listResults?cursor=MS5hYmM"))
  },
  unaudited: { "POST /api/v1/createResult": "a member's own row" },
  reads: ["listResults", "getResult?id=x"],
  pages: [["listResults"], ["listResults?cursor=MTcwMDAwMDAwMTAwMC5h"]],
  repeated: { createResult: { rows: { compatibility_result: 1 }, why: "as with entries" } },
  bounds: { compatibility_result: [{ daily: (limits.premium.compatibility_results * 12) / 365 }] },
  inserts: [["createResult", createResultInput(), /insert into "compatibility_result"/]],
  collect: (person) => person.post("createResult", createResultInput()),
  members: () => [],
  many: (numbered) => [
    `insert into compatibility_result (id, user_id, partner_name, schema_version, lite, deep_insights, created_at)
     ${numbered} select 'own' || i, ?1, 'Grace', 1, '{"score":71,"summary":"x","traits":[]}', '{"sections":[]}', 1700000000000 + i from n`,
  ],
  journeys: [
    {
      title: "compatibility shows the lite part and withholds the deep insights",
      take: async ({ join, expect }) => {
        const [ada, grace] = [await join(), await join()]
        const result = createResultInput()
        const { id } = Id.parse((await ada.post("/api/v1/createResult", result)).json)
        const read = await ada.get(`/api/v1/getResult?id=${id}`)
        expect(read.json).toMatchObject({ unlocked: false, lite: result.lite, deepInsights: null })
        expect(read.text).not.toContain("This is what is paid for.")
        expect((await grace.get(`/api/v1/getResult?id=${id}`)).status).toBe(404)
      },
    },
  ],
}
