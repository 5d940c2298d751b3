import { createHash, randomUUID } from "node:crypto"

import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"

import { type Keys, kinds } from "../../platform/configuration/keys.ts"
import { type EndpointContext, sealedCookie } from "../../platform/cookie/host-cookie.ts"
import { maxBrowsers, trustedBrowser } from "../../platform/database/auth.table.ts"
import { type Database, rowIf } from "../../platform/database/database.ts"

const kind = "trusted_browser"

/** Maximum characters, as for a session. */
const maxUserAgent = 300

const Claims = z.object({ id: z.string(), userId: z.string() })

const cookie = sealedCookie(kind, Claims)

function hashOf(id: string) {
  return createHash("sha256").update(id).digest("base64url")
}

/** Returns the condition that the trusted-browser cookie is not revoked; undefined without a valid cookie. */
export async function trustOf(context: EndpointContext, keys: Keys, userId: string) {
  const data = await cookie.read(context, keys)
  if (data?.userId !== userId) return undefined
  const isOwn = and(
    eq(trustedBrowser.hash, hashOf(data.id)),
    eq(trustedBrowser.userId, userId),
    gt(trustedBrowser.expiresAt, new Date()),
  )
  return sql`exists (select 1 from ${trustedBrowser} where ${isOwn})`
}

/** Returns statements that trust this browser and delete the oldest above the limit. `finish` sets the cookie. */
export function trust(
  context: EndpointContext,
  { database, keys, userId }: { database: Database; keys: Keys; userId: string },
  when: SQL,
) {
  const id = randomUUID()
  const now = new Date()
  const row = {
    hash: hashOf(id),
    userId,
    userAgent: (context.headers?.get("user-agent") ?? "").slice(0, maxUserAgent),
    createdAt: now,
    expiresAt: new Date(now.getTime() + kinds[kind] * 1000),
  }
  const newest = sql`(select hash from ${trustedBrowser} where ${trustedBrowser.userId} = ${userId}
    order by ${trustedBrowser.createdAt} desc, rowid desc limit ${maxBrowsers})`
  return {
    statements: {
      trusted: database.insert(trustedBrowser).select(rowIf(trustedBrowser, row, when)),
      forgotten: database
        .delete(trustedBrowser)
        .where(
          and(eq(trustedBrowser.userId, userId), sql`${trustedBrowser.hash} not in ${newest}`),
        ),
    },
    finish: () => cookie.write(context, keys, { id, userId }),
  }
}
