import { createClient, type Session } from "@accounts-stack/client"
import { forwardRequest } from "@accounts-stack/client/server"

import { entryPage, signInPage } from "./html.ts"
import type { Settings } from "./settings.ts"

/**
 * A front end whose pages a server makes: the `fetch` of a Worker, or what a framework calls loader and
 * action. It works without a script in the browser.
 * @param address the reader's, as the network says it
 */
export async function handle(request: Request, address: string | null, settings: Settings) {
  const { pathname } = new URL(request.url)
  const form = request.method === "POST" ? await request.formData() : new FormData()
  const text = (name: string) => {
    const value = form.get(name)
    return typeof value === "string" ? value : ""
  }
  // Clients of two readers must not be one: whatever is asked here is asked as this reader.
  const { fetch, cookies } = forwardRequest({ ...settings, request, address, user: text("user") })
  const accounts = createClient({ url: settings.api, fetch })

  if (pathname === "/sign-in" && request.method === "POST") {
    const credentials = { email: text("email"), password: text("password") }
    const { error } = await accounts.auth.signInEmail(credentials)
    return error ? show(error.message) : toStart()
  }
  if (pathname === "/profile" && request.method === "POST") {
    const { error } = await accounts.user.updateProfile({ name: text("name") })
    // The answer is rendered again, for the user who is signed in by now.
    return error ? show(error.message) : toStart()
  }
  return show("")

  /** Asking for the session extends it, so every page asks: who only reads would be signed out after a week. */
  async function show(message: string) {
    const { data: session, error } = await accounts.auth.getSession()
    const notice = error?.message ?? message
    return answer(page(session, notice), { status: error || message !== "" ? 400 : 200 })
  }

  function page(session: Session | null | undefined, message: string) {
    if (!session) return signInPage(message)
    return entryPage({ session, message, api: settings.api })
  }

  function toStart() {
    return answer(null, { status: 303, headers: { location: "/" } })
  }

  /**
   * Passes the cookies that the service sets to the reader. No cache may keep the page of one reader for
   * another.
   */
  function answer(body: string | null, init: ResponseInit) {
    const headers = new Headers(init.headers)
    headers.set("content-type", "text/html; charset=utf-8")
    headers.set("cache-control", "private, no-store")
    for (const cookie of cookies) headers.append("set-cookie", cookie)
    return new Response(body, { ...init, headers })
  }
}
