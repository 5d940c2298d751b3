import { randomBytes } from "node:crypto"
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import type { Plane } from "../plane/plane.ts"
import type { State } from "../state/state.ts"
import { copyDatabase, openSnapshot } from "./dump.ts"

export type Bookmarks = ReturnType<typeof openBookmarks>

/** Per database; the oldest are deleted first. */
const copyLimit = 50

/**
 * Time travel between bookmarks: each is a copy of the database at the moment it was requested.
 * Callers hold the lock of the database.
 */
export function openBookmarks(directory: string, { state, plane }: { state: State; plane: Plane }) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const fileOf = ({ id }: { id: string }) => join(directory, id)

  return {
    async take(databaseId: string): Promise<Bookmark> {
      const bookmark = {
        id: createBookmarkId(),
        database_id: databaseId,
        created_at: new Date().toISOString(),
      }
      // The file exists only after the first query.
      await plane.query(databaseId, [{ sql: "SELECT 1", params: [] }])
      await copyDatabase(plane.databaseFile(databaseId), fileOf(bookmark))
      const surplus = listBookmarks(state, databaseId).slice(copyLimit - 1)
      state.transaction(() => {
        insertBookmark(state, bookmark)
        for (const { id } of surplus) deleteBookmark(state, id)
      })
      for (const old of surplus) rmSync(fileOf(old), { force: true })
      return bookmark
    },
    open: (bookmark: Bookmark) => openSnapshot(fileOf(bookmark)),
    /** Atomic: a query sees all of it or nothing. */
    restore: (bookmark: Bookmark) =>
      copyDatabase(fileOf(bookmark), plane.databaseFile(bookmark.database_id)),
    /** Deletes all copies of a database that is about to be dropped: they hold its rows. */
    drop(databaseId: string) {
      for (const bookmark of listBookmarks(state, databaseId)) {
        deleteBookmark(state, bookmark.id)
        rmSync(fileOf(bookmark), { force: true })
      }
    },
    /** Deletes copies without a row. */
    sweep() {
      const bookmarkIds = listBookmarkIds(state)
      for (const name of readdirSync(directory)) {
        if (!bookmarkIds.has(name)) rmSync(join(directory, name))
      }
    },
  }
}

/** In Cloudflare's format, which sorts by time. */
function createBookmarkId(): string {
  const time = Date.now().toString(16).padStart(16, "0")
  const [a, b] = [randomBytes(4).toString("hex"), randomBytes(16).toString("hex")]
  return `${time.slice(0, 8)}-${time.slice(8)}-${a}-${b}`
}

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

function listBookmarkIds(state: State): Set<string> {
  return new Set(state.all("SELECT id FROM bookmark").map((row) => String(row["id"])))
}

function insertBookmark(state: State, bookmark: Bookmark) {
  state.insert("bookmark", bookmark)
}

function deleteBookmark(state: State, id: string) {
  state.run("DELETE FROM bookmark WHERE id = ?", id)
}
