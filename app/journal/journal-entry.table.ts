import { index, sqliteTable } from "drizzle-orm/sqlite-core"

import { memberId } from "../service/platform/database/auth.table.ts"
import { listed, text, timestamp } from "../service/platform/database/columns.ts"

export const moods = ["awful", "low", "neutral", "good", "great"] as const

export const journalEntry = sqliteTable(
  "journal_entry",
  {
    id: text("id", 64).primaryKey(),
    userId: memberId(),
    mood: listed("mood", moods).notNull(),
    text: text("text", 10_000).notNull(),
    /** Id of the prompt that the entry answers. */
    promptId: text("prompt_id", 64),
    createdAt: timestamp("created_at").notNull(),
  },
  (table) => [
    index("journal_entry_list").on(table.userId, table.createdAt, table.id),
    index("journal_entry_list_by_mood").on(table.userId, table.mood, table.createdAt, table.id),
  ],
)
