import type { Descriptions } from "../operation.ts"

export const journal: Descriptions = {
  procedures: {
    createEntry: { summary: "Write a journal entry" },
    getEntry: { summary: "Get one of your journal entries" },
    listEntries: { summary: "List your journal entries, newest first" },
    getTodayPrompt: { summary: "Get the journal prompt of the day" },
  },
  fields: {
    "listEntries.from": "Only entries created at this time or later",
    "listEntries.to": "Only entries created before this time",
    "getTodayPrompt.date": "The member's local date; defaults to today in UTC",
  },
}
