import * as z from "zod"

import type { State } from "../state/state.ts"

const Bookmark = z.object({ id: z.string(), database_id: z.string(), created_at: z.string() })
export type Bookmark = z.infer<typeof Bookmark>

/** Newest first. */
export function listBookmarks(state: State, databaseId: string): Bookmark[] {
  return state
    .all(
      "SELECT * FROM bookmark WHERE database_id = ? ORDER BY created_at DESC, id DESC",
      databaseId,
    )
    .map((row) => Bookmark.parse(row))
}

export function listBookmarkIds(state: State): Set<string> {
  return new Set(state.all("SELECT id FROM bookmark").map((row) => String(row["id"])))
}

export function insertBookmark(state: State, { id, database_id, created_at }: Bookmark) {
  state.run(
    "INSERT INTO bookmark (id, database_id, created_at) VALUES (?, ?, ?)",
    id,
    database_id,
    created_at,
  )
}

export function deleteBookmark(state: State, id: string) {
  state.run("DELETE FROM bookmark WHERE id = ?", id)
}
