import type { Context } from "hono"
import * as z from "zod"

import { parseJson } from "../../platform/configuration/provider.ts"
import { addQuery } from "../../platform/http/redirect.ts"
import type { HonoEnv } from "../../platform/http/routing.ts"

const Part = z.string().nullish().catch(null)

/** Apple's `user`: only the first sign-in has it, and it is not signed. */
const AppleUser = z.object({ name: z.object({ firstName: Part, lastName: Part }) })

/**
 * Apple sends the browser back with a form, cross-site, so without the cookie of the sign-in. This
 * passes its fields on to the GET, with which browsers send the cookie, and does nothing else: it
 * stands before the checks of origin and media type. Of the user it passes on only the name, because
 * a URL stays in histories and logs.
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
