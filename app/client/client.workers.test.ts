import { isDefinedError, safe } from "@orpc/client"
import { expect, test } from "vitest"

import { apiUrl, createBrowser } from "../testing/browser.ts"
import { createClient } from "./client.ts"

test("the client signs up, writes and reads with types, and distinguishes declared errors", async () => {
  const browser = createBrowser()
  const { auth, api } = createClient({
    url: apiUrl,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const body = await request.text()
      return browser.send(request.method, request.url, {
        headers: Object.fromEntries(request.headers),
        ...(body === "" ? {} : { body }),
      })
    },
  })

  const email = "client@example.com"
  const password = "a good long password"
  const { error } = await auth.signUp.email({ name: "Ada", email, password })
  expect(error).toBeNull()
  expect((await auth.getSession()).data?.user.email).toBe(email)

  const entry = await api.createEntry({ mood: "good", text: "Typed" })
  expect(await api.listEntries({ limit: 10 })).toEqual({ items: [entry], nextCursor: null })

  const missing = await safe(api.getEntry({ id: "journal_entry_0" }))
  expect(isDefinedError(missing.error) && missing.error.code).toBe("NOT_FOUND")

  await auth.signOut()
  const refused = await safe(api.getProfile())
  expect(isDefinedError(refused.error) && refused.error.code).toBe("UNAUTHORIZED")
})
