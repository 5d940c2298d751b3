import { seededRandom } from "@accounts-stack/local/seeded-random"
import { expect, test } from "vitest"

import { joinOrStart } from "../cli/process/local-cloudflare.ts"
import { copyCheckout } from "./testing/checkout.ts"
import {
  changeNumber,
  interruptUp,
  killProcessGroup,
  withContext,
} from "./testing/engine/interruption.ts"
import { changes, expectConvergedAfter } from "./testing/engine/unanswered-changes.ts"
import { sendRequest } from "./testing/send-request.ts"

const isFull = process.env["SOAK_BUDGET"] === "full"
const rounds = isFull ? 100 : 3
const seed = Number(process.env["SOAK_SEED"] ?? 1)

test(`${rounds} releases with one migration each lose nothing when killed at any point (seed ${seed})`, async () => {
  await using checkout = copyCheckout()
  const cloudflare = await joinOrStart({ state: checkout.state, apiPort: 0, port: 0 })
  const chance = seededRandom(seed)
  const once = () => checkout.succeed("start", "--once", "--json", "--state", checkout.state)
  try {
    const first = await once()
    const { url } = JSON.parse(first.stdout)
    const people: string[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const name = checkout.addMigration(
        "round",
        `CREATE TABLE round_${round} (id TEXT PRIMARY KEY);\n`,
      )
      const after = 1 + Math.floor(chance() * 14)
      const { at } = await interruptUp(checkout, cloudflare, {
        kind: "api",
        isDue: changeNumber(after),
        kill: killProcessGroup,
      })
      const label = `round ${round}, killed after change ${after}: ${at?.path ?? "not killed"}`
      const still = await sendRequest(`${url}/api/health`)
      expect(still.status, `${label}: a version keeps serving`).toBe(200)

      await withContext(label, () =>
        checkout.succeed("repair", "-s", "local", "--state", checkout.state),
      )
      await withContext(label, once)
      const { json } = await sendRequest(`${url}/api/health?schema=1`)
      expect(json, label).toMatchObject({
        status: "ok",
        migrations: { expected: name, found: name },
      })

      const email = `person-${round}@example.com`
      const person = { name: "Person", email, password: "correct horse battery" }
      const headers = { "cf-connecting-ip": "127.0.0.1", origin: url }
      const signUp = await sendRequest(`${url}/api/auth/sign-up/email`, { headers, body: person })
      expect(signUp.status, label).toBe(200)
      people.push(email)
    }
    for (const email of people.slice(-5)) {
      const body = { email, password: "correct horse battery" }
      expect(
        (await sendRequest(`${url}/api/auth/sign-in/email`, { headers: { origin: url }, body }))
          .status,
      ).toBe(200)
    }
  } finally {
    await cloudflare.stop()
  }
})

const picked = changes.filter((_, index) => isFull || index === seed % changes.length)

test(`after a kill at ${picked.join()}, whose answer was lost, repair and up converge, and destroy leaves nothing`, async () => {
  await expectConvergedAfter(picked)
})
