import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, webUrl } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { operations } from "../../testing/described.ts"
import { createPerson } from "../../testing/person.ts"
import { believedUser } from "./caller.ts"

/** Every operation that a session may write with, as the description has it. */
const written = operations.flatMap(({ path, method, security, requestBody }): [string, object][] =>
  method !== "POST" || security.length === 0
    ? []
    : [[path, requestBody?.content["application/json"]?.example ?? {}]],
)

const counting = createCountingDatabase(env.DB)
/** Settings for the values in the examples of the description. */
const bound = bind({
  DB: counting.database,
  AUTH_TRUSTED_ORIGIN: `${webUrl},https://app.example.com`,
  TOKENS: JSON.stringify({ audiences: ["https://orders.example.com"] }),
})

test("all that a session writes is tried", () => {
  expect(written.map(([path]) => path)).toEqual(
    expect.arrayContaining([
      "/api/v1/updateProfile",
      "/api/v1/changeRole",
      "/api/auth/delete-user",
    ]),
  )
})

test.each(written)("%s writes nothing for a page that expects another user", async (path, body) => {
  // Gus has signed in in another tab: the browser's cookie is his, and the page is Ada's.
  const [ada, gus] = [await createPerson(bound), await createPerson(bound, "owner")]
  const send = (believed: string) => gus.browser.post(path, body, { [believedUser]: believed })
  const statements = await counting.during(async () => {
    const refused = await send(ada.id)
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ code: "SESSION_CHANGED" })
  })
  // Only the query for the caller is sent.
  expect(statements).toEqual([expect.stringMatching(/^select .*"session"/)])
  expect(await (await send(gus.id)).text()).not.toContain("SESSION_CHANGED")
})

test("a browser is signed out whichever user the page expects", async () => {
  const [ada, gus] = [await createPerson(bound), await createPerson(bound)]
  const headers = { [believedUser]: ada.id }
  expect((await gus.browser.post("/api/auth/sign-out", {}, headers)).status).toBe(200)
  expect((await gus.get("getProfile")).status).toBe(401)
})
