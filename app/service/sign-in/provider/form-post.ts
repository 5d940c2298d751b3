import type { Context } from "hono"
import * as z from "zod"

import { parseJson } from "../../platform/configuration/provider.ts"
import { addQuery } from "../../platform/http/redirect.ts"
import type { HonoEnv } from "../../platform/http/routing.ts"

const Part = z.string().nullish().catch(null)

/** Apple's `user`: only the first sign-in has it, and it is not signed. */
const AppleUser = z.object({ name: z.object({ firstName: Part, lastName: Part }) })

/**
 * Redirects Apple's form post to the GET callback. A cross-site POST lacks the sign-in cookie, which browsers send
 * with the GET. This runs before the checks of origin and media type, so it does nothing else. It passes on only the
 * user's name, because a URL stays in histories and logs.
 */
export async function passFormOn(context: Context<HonoEnv>) {
  context.set("route", "/api/auth/callback/:id")
  const form = Object.fromEntries(new URLSearchParams(await context.req.text()))
  const { code, state, iss, error, user } = form
  const { data } = AppleUser.safeParse(parseJson(user))
  const name = [data?.name.firstName, data?.name.lastName].filter(Boolean).join(" ")
  const { pathname } = new URL(context.req.url)
  const query = { code, state, iss, error, name: name === "" ? undefined : name }
  return context.redirect(addQuery(pathname, query), 303)
}
