import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import * as z from "zod"

import { bind, createBrowser } from "../testing/browser.ts"
import { createPerson } from "../testing/person.ts"

const Logged = z.object({ event: z.string(), reason: z.string(), stack: z.array(z.string()) })

test("the log of an unexpected error says why and where, and nothing that somebody sent", async () => {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  const person = await createPerson()
  const failing = async (error: Error) => {
    const broken = new Proxy(env.DB, {
      get: () => () => {
        throw error
      },
    })
    const browser = createBrowser(bind({ DB: broken }))
    for (const [name, value] of person.browser.cookies) browser.cookies.set(name, value)
    await browser.post("/api/auth/sign-in/email", person)
    await browser.get("/api/v1/listEntries")
  }
  await failing(new Error("the database is down\n    at the place of nobody"))
  await failing(new Error("Failed query: select 1\nparams: " + person.email))
  const written = spy.mock.calls.map(([line]) => String(line))
  expect(written.join()).not.toContain(person.email)
  const lines = written.flatMap((line) => Logged.safeParse(JSON.parse(line)).data ?? [])
  spy.mockRestore()
  expect(lines).toHaveLength(4)
  for (const { stack } of lines) {
    expect(stack[0]).toMatch(/^at .+:\d+:\d+\)?$/)
    expect(stack.join()).not.toContain("nobody")
  }
})
