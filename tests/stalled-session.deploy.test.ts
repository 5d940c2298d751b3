import { expect, test } from "vitest"

import { setFaults } from "./testing/faults/fault-rules.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { openStacks } from "./testing/stacks/test-stacks.ts"

/** Seconds for which the database hangs: longer than a snapshot answers by itself. */
const stall = Number(process.env["STALL_SECONDS"] ?? 12)

const hang = {
  match: { surface: "d1" },
  when: { probability: 1, seed: 1 },
  action: { type: "hang" },
}

test("with a grace, every signed-in get-session is answered while the database hangs", async () => {
  await using stacks = await openStacks()
  const local = await stacks.local({ "accounts:sessionCache": "2", "accounts:sessionGrace": "900" })
  const url = String((await local.up()).outputs["url"])
  const session = (cookie: string) =>
    sendRequest(`${url}/api/auth/get-session`, { headers: { cookie } })

  const members = await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      const email = `${index}@example.com`
      const body = { name: "Ada", email, password: "correct horse battery" }
      const signedUp = cookieHeader(
        await sendRequest(`${url}/api/auth/sign-up/email`, { headers: { origin: url }, body }),
      )
      return { email, cookie: `${signedUp}; ${cookieHeader(await session(signedUp))}` }
    }),
  )
  await setFaults(local.cloudflare, [hang])
  const end = Date.now() + stall * 1000
  const unconfirmed: string[] = []
  await Promise.all(
    members.map(async ({ email, cookie }) => {
      while (Date.now() < end) {
        const { status, json, headers } = await session(cookie)
        expect({ status, json }).toMatchObject({ status: 200, json: { user: { email } } })
        const seconds = headers["accounts-session-unconfirmed"]
        if (seconds !== undefined) unconfirmed.push(String(seconds))
      }
    }),
  )
  await setFaults(local.cloudflare, [])
  expect(unconfirmed.length).toBeGreaterThan(members.length)
  for (const { email, cookie } of members) {
    await expect
      .poll(async () => (await session(cookie)).headers["accounts-session-unconfirmed"])
      .toBeUndefined()
    expect((await session(cookie)).json).toMatchObject({ user: { email } })
  }
})
