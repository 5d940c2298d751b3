import { and, eq, gte, sql, type SQL } from "drizzle-orm"
import * as z from "zod"

import { insertWithinPlan, planLimitReached } from "../plan/allowance.ts"
import { shownColumns } from "../service/platform/database/columns.ts"
import { createId } from "../service/platform/database/database.ts"
import type { Collections } from "../service/platform/database/records.ts"
import { listedValue, Visible } from "../service/platform/rpc/fields.ts"
import { pageOf, pageOfRows, Paging, valuesOf } from "../service/platform/rpc/pagination.ts"
import { ownRows } from "../service/session/own-rows.ts"
import { member, nearReader } from "../service/session/procedures.ts"
import { journalEntry, moods } from "./journal-entry.table.ts"

const Entry = z.object({
  id: z.string(),
  mood: listedValue(moods),
  text: z.string(),
  promptId: z.string().nullable(),
  createdAt: z.date(),
})

const createEntry = member
  .errors(planLimitReached)
  .input(
    z.strictObject({
      mood: z.enum(moods),
      text: Visible.max(10_000),
      promptId: z.string().max(64).optional(),
    }),
  )
  .output(Entry)
  .handler(async ({ context, input, errors }) => {
    const row = {
      id: createId("journal_entry"),
      userId: context.member.id,
      mood: input.mood,
      text: input.text,
      promptId: input.promptId ?? null,
      createdAt: new Date(),
    }
    const isWritten = await insertWithinPlan({
      database: context.services.database,
      member: context.member,
      isSignedIn: context.isSignedIn,
      metric: "journal_entries",
      table: journalEntry,
      row,
    })
    if (!isWritten) throw errors.PLAN_LIMIT_REACHED()
    return row
  })

const ownedTable = {
  table: journalEntry,
  owner: journalEntry.userId,
  columns: shownColumns(journalEntry, Entry),
}

const entryById = ownRows({ ...ownedTable, where: eq(journalEntry.id, sql.placeholder("id")) })

const getEntry = nearReader
  .route({ method: "GET" })
  .errors({ NOT_FOUND: { status: 404, message: "Journal entry not found" } })
  .input(z.strictObject({ id: z.string().max(64) }))
  .output(Entry)
  .handler(async ({ context, input, errors }) => {
    const [answer] = await context.askOnce(entryById, { id: input.id })
    if (!answer?.row) throw errors.NOT_FOUND()
    return answer.row
  })

const ofMood = eq(journalEntry.mood, sql.placeholder("mood"))
const since = gte(journalEntry.createdAt, sql.placeholder("from"))

function newestEntries(filters: (SQL | undefined)[]) {
  return ownRows({ ...ownedTable, newest: journalEntry, where: and(...filters) })
}
const lists = new Map<string, ReturnType<typeof newestEntries>>()

/** Returns a statement for each set of filters. One statement for all would tie every filter to the same index. */
function entriesFor(...filters: (SQL | undefined)[]) {
  const key = filters.map((filter) => filter !== undefined).join()
  const list = lists.get(key) ?? newestEntries(filters)
  lists.set(key, list)
  return list
}

const listEntries = nearReader
  .route({ method: "GET" })
  .input(
    Paging.extend({
      mood: z.enum(moods).optional(),
      from: z.iso.datetime({ offset: true }).optional(),
      to: z.iso.datetime({ offset: true }).optional(),
    }),
  )
  .output(pageOf(Entry))
  .handler(async ({ context, input }) => {
    const { mood, from, to } = input
    const list = entriesFor(mood && ofMood, from === undefined ? undefined : since)
    const rows = await context.askOnce(list, {
      mood,
      from: from && Date.parse(from),
      ...valuesOf(input, to === undefined ? undefined : Date.parse(to)),
    })
    return pageOfRows(rows, input.limit)
  })

const getTodayPrompt = member
  .route({ method: "GET" })
  .input(
    z.strictObject({
      date: z.iso.date().optional(),
    }),
  )
  .output(z.object({ id: z.string(), date: z.iso.date(), text: z.string() }))
  .handler(({ input }) => promptOf(input.date ?? new Date().toISOString().slice(0, 10)))

export const journalExport: Collections = {
  journalEntries: {
    table: journalEntry,
    owner: journalEntry.userId,
    item: Entry,
    order: [journalEntry.createdAt, journalEntry.id],
  },
}

export const journal = { createEntry, getEntry, listEntries, getTodayPrompt }

/** Never change an id: entries refer to it. */
const prompts = [
  ["gratitude", "What are you grateful for today?"],
  ["surprise", "What surprised you today?"],
  ["energy", "What gave you energy, and what took it?"],
  ["conversation", "Which conversation stayed with you, and why?"],
  ["letting-go", "What could you let go of?"],
  ["courage", "When were you braver than usual?"],
  ["rest", "How did you rest?"],
  ["learning", "What did you learn about yourself?"],
  ["kindness", "What kindness did you give or receive?"],
  ["body", "What is your body telling you?"],
  ["worry", "What worries you, and how much of it is yours to change?"],
  ["joy", "When did you last lose track of time?"],
  ["boundary", "Where did you say no, or wish you had?"],
  ["tomorrow", "What would make tomorrow a good day?"],
] as const

const day = 24 * 60 * 60 * 1000

/** Returns the same prompt for every member on a date, `YYYY-MM-DD` in the member's time zone. */
export function promptOf(date: string) {
  const index = Math.floor(Date.parse(`${date}T00:00:00Z`) / day) % prompts.length
  const [id, text] = prompts.at(index) ?? prompts[0]
  return { id, date, text }
}
