import { and, desc, eq, gte, sql, type SQL } from "drizzle-orm"
import * as z from "zod"

import { session } from "../auth/auth.table.ts"
import { isCurrent } from "../auth/caller.ts"
import { rowIf } from "../conditional-row.ts"
import { createId } from "../identifier.ts"
import { allowance, planLimitReached } from "../plan/allowance.ts"
import { preparedOnce } from "../prepared.ts"
import { before, pageOf, pageOfRows, Paging, valuesBefore } from "../rpc/pagination.ts"
import { member, nearReader } from "../rpc/procedures.ts"
import { Visible } from "../well-formed.ts"
import { journalEntry } from "./journal-entry.table.ts"
import { moods } from "./mood.ts"
import { promptOf } from "./prompt.ts"

export const Entry = z.object({
  id: z.string(),
  mood: z.enum(moods),
  text: z.string(),
  promptId: z.string().nullable(),
  createdAt: z.date(),
})

const entryColumns = {
  id: journalEntry.id,
  mood: journalEntry.mood,
  text: journalEntry.text,
  promptId: journalEntry.promptId,
  createdAt: journalEntry.createdAt,
}

const createEntry = member
  .route({ summary: "Write a journal entry" })
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
    const now = new Date()
    const id = createId("journal_entry")
    const { database } = context.services
    const { left, spend } = allowance({
      database,
      member: context.member,
      metric: "journal_entries",
      now,
    })
    const promptId = input.promptId ?? null
    const [inserted] = await database.batch([
      database
        .insert(journalEntry)
        .select(
          rowIf(
            journalEntry,
            {
              id,
              userId: context.member.id,
              mood: input.mood,
              text: input.text,
              promptId,
              createdAt: now,
            },
            left,
          ),
        )
        .returning({ id: journalEntry.id }),
      spend(sql`select 1 from ${journalEntry} where ${journalEntry.id} = ${id}`),
    ])
    if (inserted.length === 0) throw errors.PLAN_LIMIT_REACHED()
    return { id, mood: input.mood, text: input.text, promptId, createdAt: now }
  })

const entryById = preparedOnce((database) =>
  database
    .select({ callerId: session.userId, row: entryColumns })
    .from(session)
    .leftJoin(
      journalEntry,
      and(eq(journalEntry.id, sql.placeholder("id")), eq(journalEntry.userId, session.userId)),
    )
    .where(isCurrent)
    .prepare(),
)

const getEntry = nearReader
  .route({ method: "GET", summary: "Get one of your journal entries" })
  .errors({ NOT_FOUND: { status: 404, message: "Journal entry not found" } })
  .input(z.strictObject({ id: z.string().max(64) }))
  .output(Entry)
  .handler(async ({ context, input, errors }) => {
    const [found] = await context.askOnce(entryById, { id: input.id })
    if (!found?.row) throw errors.NOT_FOUND()
    return found.row
  })

/** Newest entries of the caller. A condition that is always there would choose the index for all. */
function newestEntries(...conditions: SQL[]) {
  return preparedOnce((database) =>
    database
      .select({ callerId: session.userId, row: entryColumns })
      .from(session)
      .leftJoin(
        journalEntry,
        and(eq(journalEntry.userId, session.userId), before(journalEntry), ...conditions),
      )
      .where(isCurrent)
      .orderBy(desc(journalEntry.createdAt), desc(journalEntry.id))
      .limit(sql.placeholder("limit"))
      .prepare(),
  )
}

const ofMood = eq(journalEntry.mood, sql.placeholder("mood"))
const since = gte(journalEntry.createdAt, sql.placeholder("from"))
const entries = newestEntries()
const entriesSince = newestEntries(since)
const entriesOfMood = newestEntries(ofMood)
const entriesOfMoodSince = newestEntries(ofMood, since)

function entriesFor({ mood, from }: { mood?: string | undefined; from?: string | undefined }) {
  if (mood === undefined) return from === undefined ? entries : entriesSince
  return from === undefined ? entriesOfMood : entriesOfMoodSince
}

const listEntries = nearReader
  .route({ method: "GET", summary: "List your journal entries, newest first" })
  .input(
    Paging.extend({
      mood: z.enum(moods).optional(),
      from: z.iso
        .datetime({ offset: true })
        .optional()
        .describe("Only entries created at this time or later"),
      to: z.iso
        .datetime({ offset: true })
        .optional()
        .describe("Only entries created before this time"),
    }),
  )
  .output(pageOf(Entry))
  .handler(async ({ context, input }) => {
    const { mood, from, to, cursor, limit } = input
    const rows = await context.askOnce(entriesFor(input), {
      mood,
      from: from && Date.parse(from),
      ...valuesBefore(cursor, to === undefined ? undefined : new Date(to)),
      limit: limit + 1,
    })
    return pageOfRows(rows, limit)
  })

const getTodayPrompt = member
  .route({ method: "GET", summary: "Get the journal prompt of the day" })
  .input(
    z.strictObject({
      date: z.iso.date().optional().describe("The member's local date; defaults to today in UTC"),
    }),
  )
  .output(z.object({ id: z.string(), date: z.iso.date(), text: z.string() }))
  .handler(({ input }) => promptOf(input.date ?? new Date().toISOString().slice(0, 10)))

export const journal = { createEntry, getEntry, listEntries, getTodayPrompt }
