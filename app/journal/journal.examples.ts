import type { Examples } from "../service/openapi/examples.ts"
import { promptOf } from "./prompt.ts"

const date = "2026-11-21"
const prompt = promptOf(date)

const written = {
  mood: "good",
  text: "A long walk by the river, and nobody needed anything.",
  promptId: prompt.id,
}

const entry = {
  id: "journal_entry_g13gxjj7ncxm6m0cd4f42fdd",
  ...written,
  createdAt: "2026-11-21T19:42:07.318Z",
}

export const journalExported = { journalEntries: [entry] }

export const journalExamples: Examples = {
  createEntry: { body: written, answer: entry },
  getEntry: { parameters: { id: entry.id }, answer: entry },
  listEntries: {
    parameters: {
      limit: 20,
      cursor: "MTc5NTI5MDEyNzMxOC5qb3VybmFsX2VudHJ5X2cxM2d4amo3bmN4bTZtMGNkNGY0MmZkZA",
      mood: "good",
      from: "2026-11-01T00:00:00+01:00",
      to: "2026-12-01T00:00:00+01:00",
    },
    answer: { items: [entry], nextCursor: null },
  },
  getTodayPrompt: { parameters: { date }, answer: prompt },
}
