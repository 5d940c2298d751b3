import { expect, test } from "vitest"

import { apiUrl, webUrl } from "../../testing/browser.ts"
import { createPerson } from "../../testing/person.ts"

test.each([webUrl, apiUrl, null])(
  "an answer of the service's own to %s has all headers that any other has, and no more",
  async (origin) => {
    const { browser } = await createPerson()
    const failed = await browser.send("GET", "/api/v1/nothing", { from: origin })
    const expected = { ...Object.fromEntries(failed.headers), "x-request-id": expect.anything() }
    for (const path of ["/api/auth/get-session", "/api/auth/list-sessions", "/api/v1/getProfile"]) {
      const response = await browser.send("GET", path, { from: origin })
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers), path).toEqual(expected)
    }
  },
)
