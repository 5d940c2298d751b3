import * as z from "zod"

import type { State } from "../state/state.ts"

const Bookmark = z.object({ id: z.string(), database_id: z.string(), created_at: z.string() })
export type Bookmark = z.infer<typeof Bookmark>

/** Newest first. */
export function listBookmarks(state: State, databaseId: string): Bookmark[] {
  return state.list(
    Bookmark,
    "SELECT * FROM bookmark WHERE database_id = ? ORDER BY created_at DESC, id DESC",
    databaseId,
  )
}

export function listBookmarkIds(state: State): Set<string> {
  return new Set(state.all("SELECT id FROM bookmark").map((row) => String(row["id"])))
}

export function insertBookmark(state: State, bookmark: Bookmark) {
  state.insert("bookmark", bookmark)
}

export function deleteBookmark(state: State, id: string) {
  state.run("DELETE FROM bookmark WHERE id = ?", id)
}
