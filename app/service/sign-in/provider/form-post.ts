import type { Context } from "hono"
import * as z from "zod"

import { parseJson } from "../../platform/configuration/provider.ts"
import type { HonoEnv } from "../../platform/http/routing.ts"

const passedOn = ["code", "state", "iss", "error"]

const Part = z.string().nullish().catch(null)

/** Apple's `user`: sent with the first sign-in alone, and not signed. */
const AppleUser = z.object({ name: z.object({ firstName: Part, lastName: Part }) })

/**
 * Apple sends the browser back with a form, cross-site, so without the cookie of the sign-in. This
 * passes its fields on to the GET, with which browsers send the cookie, and does nothing else: it
 * stands before the checks of origin and media type. It passes on no more of the user than the name,
 * because a URL stays in histories and logs.
 */
export async function passFormOn(context: Context<HonoEnv>) {
  context.set("route", "/api/auth/callback/:id")
  const form = new URLSearchParams(await context.req.text())
  const query = new URLSearchParams()
  for (const name of passedOn) {
    const value = form.get(name)
    if (value !== null) query.set(name, value)
  }
  const { data } = AppleUser.safeParse(parseJson(form.get("user")))
  const name = [data?.name.firstName, data?.name.lastName].filter(Boolean).join(" ")
  if (name !== "") query.set("name", name)
  const { pathname } = new URL(context.req.url)
  return context.redirect(`${pathname}?${query.toString()}`, 303)
}
