import { expect, test } from "vitest"

import type { Api } from "../../deploy/api.ts"
import { exportDump } from "./d1-account.ts"

/** Answers one after the other, as Cloudflare does while an export takes its time. */
function answering(answers: unknown[]) {
  const requests: unknown[] = []
  const refuse = () => Promise.reject(new Error("only the export is asked for"))
  const answer: Api["query"] = async (_path, body, result) => {
    requests.push(body)
    return result.parse(answers.shift())
  }
  const api: Api = { get: refuse, post: answer, put: refuse, delete: refuse, query: answer }
  return { place: { api, accountId: "a", databaseId: "d" }, sent: requests }
}

const waiting = { signal: new AbortController().signal, pause: async () => {} }
const active = { success: true, status: "active", at_bookmark: "b1", messages: [] }

test("an export that takes its time is polled with its bookmark until it is complete", async () => {
  const result = { filename: "d.sql", signed_url: "https://example.com/d.sql" }
  const { place, sent } = answering([active, active, { ...active, status: "complete", result }])
  expect(await exportDump(place, waiting)).toEqual({
    url: "https://example.com/d.sql",
    bookmark: "b1",
  })
  expect(sent).toEqual([
    { output_format: "polling" },
    { output_format: "polling", current_bookmark: "b1" },
    { output_format: "polling", current_bookmark: "b1" },
  ])
})

test("an export that fails half-way says why", async () => {
  const { place } = answering([active, { ...active, status: "error", error: "too busy" }])
  await expect(exportDump(place, waiting)).rejects.toThrow("could not be exported: too busy")
})

test("an interrupted export sends no further request", async () => {
  const { place, sent } = answering([active])
  const stop = new AbortController()
  const pause = async () => stop.abort()
  await expect(exportDump(place, { signal: stop.signal, pause })).rejects.toThrow(/aborted/)
  expect(sent).toHaveLength(1)
})
