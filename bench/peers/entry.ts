import { desc, eq } from "drizzle-orm"
import type { DrizzleD1Database } from "drizzle-orm/d1"
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** The service's own table of journal entries, which neither peer has by itself. */
const entry = sqliteTable("journal_entry", {
  id: text("id").primaryKey(),
  userId: text("user_id").notNull(),
  mood: text("mood").notNull(),
  text: text("text").notNull(),
  promptId: text("prompt_id"),
  createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
})

/** As little as a list takes: no paging, nothing parsed, nothing validated on the way out. */
export async function listEntries(database: Pick<DrizzleD1Database, "select">, userId: string) {
  const { id, mood, text: words, promptId, createdAt } = entry
  const items = await database
    .select({ id, mood, text: words, promptId, createdAt })
    .from(entry)
    .where(eq(entry.userId, userId))
    .orderBy(desc(entry.createdAt), desc(entry.id))
    .limit(21)
  return { items }
}
