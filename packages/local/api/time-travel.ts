import { Hono } from "hono"
import * as z from "zod"

import { type Bookmark, listBookmarks } from "./bookmarks.ts"
import type { Control } from "./control.ts"
import { requireDatabase } from "./database.ts"
import { ApiError, code, query, success } from "./envelope.ts"

const When = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString())
const Moment = z.strictObject({ timestamp: When.optional() })
const Target = z
  .strictObject({ bookmark: z.string().optional(), timestamp: When.optional() })
  .refine((target) => (target.bookmark === undefined) !== (target.timestamp === undefined), {
    message: "Name either a bookmark or a timestamp",
  })

/**
 * `…/d1/database/{database}/time_travel`. Every request for a bookmark takes a new one; a repeated
 * restore brings back the same content.
 */
export function timeTravelApi({ state, withLock, bookmarks }: Control) {
  const app = new Hono()

  app.get("/:database/time_travel/bookmark", async (c) => {
    const { timestamp } = query(c, Moment)
    const { id } = requireDatabase(state, c.req.param("database"))
    const { id: bookmark } = await withLock(`database:${id}`, async () =>
      timestamp === undefined ? bookmarks.take(id) : requireBookmark(id, { timestamp }),
    )
    return c.json(success({ bookmark }))
  })

  app.post("/:database/time_travel/restore", async (c) => {
    const target = query(c, Target)
    const { id } = requireDatabase(state, c.req.param("database"))
    const result = await withLock(`database:${id}`, async () => {
      const bookmark = requireBookmark(id, target)
      const previous = await bookmarks.take(id)
      await bookmarks.restore(bookmark)
      return {
        bookmark: bookmark.id,
        previous_bookmark: previous.id,
        message: `Database restored to ${bookmark.created_at}`,
      }
    })
    return c.json(success(result))
  })

  function requireBookmark(
    databaseId: string,
    { bookmark, timestamp }: { bookmark?: string | undefined; timestamp?: string | undefined },
  ): Bookmark {
    const recorded = listBookmarks(state, databaseId)
    const match = recorded.find(({ id, created_at }) =>
      timestamp === undefined ? id === bookmark : created_at <= timestamp,
    )
    if (match !== undefined) return match
    throw new ApiError(
      400,
      code.badQuery,
      `There is no bookmark ${bookmark ?? `at or before ${timestamp}`}: the local Cloudflare restores only bookmarks that were requested earlier, and it has ${recorded.length} of this database`,
    )
  }

  return app
}
