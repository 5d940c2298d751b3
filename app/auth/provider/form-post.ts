import type { Context } from "hono"

import type { HonoEnv } from "../../http/hono-env.ts"

const passedOn = ["code", "state", "iss", "error", "user"]

/**
 * Apple sends the browser back with a form, cross-site, so without the cookie of the sign-in. This
 * passes its fields on to the GET, with which browsers send the cookie, and does nothing else: it
 * stands before the checks of origin and media type.
 */
export async function passFormOn(context: Context<HonoEnv>) {
  context.set("route", "/api/auth/callback/:id")
  const form = new URLSearchParams(await context.req.text())
  const query = new URLSearchParams()
  for (const name of passedOn) {
    const value = form.get(name)
    if (value !== null) query.set(name, value)
  }
  const { pathname } = new URL(context.req.url)
  return context.redirect(`${pathname}?${query.toString()}`, 303)
}
