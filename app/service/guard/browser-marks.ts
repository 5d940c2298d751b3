import { createHash } from "node:crypto"

import { sql } from "drizzle-orm"

import { type Keys, kinds } from "../platform/configuration/keys.ts"
import { type EndpointContext, withHostCookies } from "../platform/cookie/host-cookie.ts"
import { account, user } from "../platform/database/auth.table.ts"
import type { Subject } from "./attempts.ts"

type Kind = "known_browser" | "signed_up"

export type BrowserMarks = ReturnType<typeof createBrowserMarks>

/**
 * Signed cookies that bind an id to the hash of an email address. They are host-only, so that no sibling domain can
 * plant them.
 */
export function createBrowserMarks(keys: Keys) {
  const mark = (kind: Kind) => ({
    /** Returns the id and when it was set (Unix time, ms), or undefined without a mark for this address. */
    read: async (context: EndpointContext, email: string) => {
      const { name } = withHostCookies(context).context.createAuthCookie(kind)
      const values = await Promise.all(
        keys.of(kind).map((key) => context.getSignedCookie(name, key)),
      )
      const [end, owner, ...id] = (values.find((value) => value) || "").split(".")
      const isCurrent = Number(end) > Date.now() && owner === hashOf(email)
      return isCurrent ? { id: id.join("."), at: Number(end) - kinds[kind] * 1000 } : undefined
    },

    set: async (context: EndpointContext, { id, email }: { id: string; email: string }) => {
      const maxAge = kinds[kind]
      const { name, attributes } = withHostCookies(context).context.createAuthCookie(kind, {
        maxAge,
      })
      const value = `${Date.now() + maxAge * 1000}.${hashOf(email)}.${id}`
      await context.setSignedCookie(name, value, keys.first(kind), attributes)
    },
  })
  const knownMark = mark("known_browser")

  /**
   * Returns the browser's device cookie, and the condition that it is valid. A cookie that is older than the current
   * password is not.
   */
  const recognize = async (context: EndpointContext, email: string) => {
    const browserMark = await knownMark.read(context, email)
    if (browserMark === undefined) return undefined
    const { id, at } = browserMark
    const isNewer = sql`${account.providerId} = 'credential' and ${account.accountId} = ${user.id}
      and ${account.updatedAt} > ${at}`
    const isOf = sql`${user.email} = ${email} and ${user.createdAt} <= ${at}
      and not exists (select 1 from ${account} where ${isNewer})`
    return { id, at, isOf }
  }

  return {
    /**
     * Marks the address that the browser last signed in with. Such a browser has its own count of attempts, so that a
     * stranger's wrong passwords do not lock the owner out.
     */
    knownBrowser: {
      read: knownMark.read,
      /** Returns the subject for the browser's password attempts and emails. */
      subject: async (context: EndpointContext, email: string): Promise<Subject> => {
        const browserMark = await recognize(context, email)
        if (browserMark === undefined) return email
        const when = sql`exists (select 1 from ${user} where ${browserMark.isOf})`
        return { known: `${email} ${browserMark.id}`, other: email, when }
      },
      /**
       * Returns the subject for the browser's attempts at a second factor. Known browsers share one count. A cookie
       * from before the factor does not count, because a caller who knows the password can get any number of cookies.
       */
      factorSubject: async (context: EndpointContext, email: string): Promise<Subject> => {
        const browserMark = await recognize(context, email)
        if (browserMark === undefined) return email
        const when = sql`exists (select 1 from ${user}
          where ${browserMark.isOf} and ${user.secondFactorSince} <= ${browserMark.at})`
        return { known: `${email} known`, other: email, when }
      },
      set: async (context: EndpointContext, email: string) => {
        // Renews an existing mark, which would otherwise become invalid with its key.
        const { id = crypto.randomUUID() } = (await knownMark.read(context, email)) ?? {}
        await knownMark.set(context, { id, email })
      },
    },

    /**
     * The browser's latest sign-up whose email is pending. Anyone can sign up with another person's address, so an
     * email verifies it only in the browser that chose the password.
     */
    signUp: mark("signed_up"),
  }
}

function hashOf(email: string) {
  return createHash("sha256").update(email).digest("base64url").slice(0, 22)
}
