import { expect, test } from "vitest"

import {
  accounts,
  ask,
  askAbout,
  bound,
  createWorld,
  ofThisRun,
  routes,
  webUrl,
} from "../../testing/asked-address.ts"
import { copyBrowser, createBrowser } from "../../testing/browser.ts"
import { forgetAttempts, stopClock } from "../../testing/clock.ts"
import { createCountingLimit } from "../../testing/counting-limit.ts"
import { createPerson, password } from "../../testing/person.ts"
import { createSeededRandom } from "../../testing/seeded-random.ts"

/** Inputs per route and kind of account; set by the configuration of the tests. */
declare const SEEDED_ROUNDS: number

const chosen = "a password of the caller's"
const lure = "Read-this"
const page = `${webUrl}/${lure}`

/** Requests that a caller who does not own the address can send, with either of two passwords. */
const steps = {
  "sign-up": ["/api/auth/sign-up/email", { name: lure, password: chosen, callbackURL: page }],
  "sign-in": ["/api/auth/sign-in/email", { password: chosen }],
  "sign-in, another password": ["/api/auth/sign-in/email", { password: "not that password" }],
  reset: ["/api/auth/request-password-reset", { redirectTo: page }],
  resend: ["/api/auth/send-verification-email", { callbackURL: page }],
  code: ["/api/auth/sign-in/code/begin", {}],
} as const

type Step = keyof typeof steps
const allSteps: Step[] = [
  "sign-up",
  "sign-in",
  "sign-in, another password",
  "reset",
  "resend",
  "code",
]
const pairs = allSteps.flatMap((first) => allSteps.map((two) => [first, two]))
const triples = pairs.flatMap((pair) => allSteps.map((third) => [...pair, third]))

/**
 * Every pair and triple in a long run. Otherwise each step is first in one pair and second in one, and
 * the kinds have every pair between them.
 */
function sequencesFor(kind: string) {
  if (SEEDED_ROUNDS >= 20) return [...pairs, ...triples]
  const turn = kinds.findIndex((candidate) => candidate.kind === kind)
  const kindPairs = pairs.filter(
    (_, index) =>
      ((index % allSteps.length) + Math.floor(index / allSteps.length) + turn) % allSteps.length ===
      0,
  )
  const random = createSeededRandom(kind.length)
  return [...kindPairs, ...Array.from({ length: SEEDED_ROUNDS }, () => random.pick(triples) ?? [])]
}

/** Sends requests about the address until all its limits are reached. */
async function exhaust(email: string) {
  const times = {
    "sign-up": 2,
    "sign-in, another password": 11,
    reset: 2,
    resend: 2,
    code: 4,
  } as const
  for (const step of allSteps) {
    if (step === "sign-in") continue
    const [path, body] = steps[step]
    for (let count = 0; count < times[step]; count += 1) {
      await ask(createBrowser(bound, webUrl), path, { ...body, email })
    }
  }
}

const kinds = [
  ...Object.entries(accounts).map(([kind, make]) => ({ kind, make, before: async () => {} })),
  { kind: "locked", make: accounts["verified"], before: exhaust },
]

test("the steps are all routes that take an address", () => {
  const paths = new Set(allSteps.map((step): string => steps[step][0]))
  expect([...paths].toSorted()).toEqual(routes.toSorted())
})

test.each(ofThisRun(kinds))(
  "no two or three requests after each other tell an address with an account ($kind) from one without",
  { timeout: 240_000 + SEEDED_ROUNDS * 20_000 },
  async ({ kind, make, before }) => {
    const world = createWorld()
    // Retry-After counts down.
    using __ = stopClock()
    const addresses = new Set<string>()
    for (const sequence of sequencesFor(kind)) {
      // Both have one length, because the compared responses contain them.
      const [registered, unknown] = [
        `known-${crypto.randomUUID()}`,
        `other-${crypto.randomUUID()}`,
      ].map((name) => `${name}@example.com`)
      if (registered === undefined || unknown === undefined) throw new Error("two addresses")
      for (const email of [registered, unknown]) addresses.add(email)
      await make?.(registered)
      const answersByAddress: unknown[][] = []
      for (const email of [registered, unknown]) {
        await forgetAttempts()
        await before(email)
        // The caller keeps the cookies of each answer.
        const browser = createBrowser(bound, webUrl)
        const answers: unknown[] = []
        for (const step of sequence) {
          const [path, body] = steps[step]
          answers.push(await askAbout(path, email, body, browser))
        }
        answersByAddress.push(answers)
      }
      expect({ sequence, told: answersByAddress[0] }).toEqual({
        sequence,
        told: answersByAddress[1],
      })
    }
    expect(world.emails.filter(({ to }) => !addresses.has(to))).toEqual([])
    expect(world.emails.filter(({ text }) => text.includes(lure))).toEqual([])
  },
)

/** Observes an address that has an account, then one that has none, from the same limits. */
async function observeBoth(observe: (email: string) => Promise<unknown>) {
  const observations: unknown[] = []
  for (const make of [accounts["verified"], async () => {}]) {
    const email = `asked-${crypto.randomUUID()}@example.com`
    await make?.(email)
    await forgetAttempts()
    observations.push(await observe(email))
  }
  return observations
}

test("requests at the same time do not tell an address with an account from one without", async () => {
  createWorld()
  const [registered, unknown] = await observeBoth(async (email) => {
    const answers = await Promise.all(
      [...allSteps, ...allSteps].map(async (step) => {
        const [path, body] = steps[step]
        const answer = await ask(createBrowser(bound, webUrl), path, { ...body, email })
        const { code } = await answer.json<{ code?: string }>()
        return `${step}: ${answer.status} ${code}`
      }),
    )
    return answers.toSorted()
  })
  expect(registered).toEqual(unknown)
})

test("the limits of an address begin at the same request, with an account and without", async () => {
  createWorld()
  const LIMIT_EMAIL = createCountingLimit(5)
  const [registered, unknown] = await observeBoth(async (email) => {
    const answers: unknown[] = []
    for (const step of allSteps) {
      const [path, body] = steps[step]
      for (let count = 0; count < 7; count += 1) {
        const browser = createBrowser({ ...bound, LIMIT_EMAIL }, webUrl)
        const answer = await ask(browser, path, { ...body, email })
        answers.push([step, answer.status, answer.headers.get("retry-after")])
      }
    }
    return answers
  })
  expect(registered).toEqual(unknown)
  expect(JSON.stringify(registered)).toContain("429")
})

test("A53: an address in another case has the answers and limits of the address, known or not", async () => {
  createWorld()
  using __ = stopClock()
  const [registered, unknown] = await observeBoth(async (email) => {
    const LIMIT_EMAIL = createCountingLimit(6)
    const answers: unknown[] = []
    const limited: number[] = []
    for (const spelling of [email, email.toUpperCase(), email.replace("asked", "aSKed")]) {
      for (const step of allSteps) {
        const [path, body] = steps[step]
        answers.push([step, await askAbout(path, spelling, body)])
        const browser = createBrowser({ ...bound, LIMIT_EMAIL }, webUrl)
        for (let count = 0; count < 3; count += 1) {
          limited.push((await ask(browser, path, { ...body, email: spelling })).status)
        }
      }
    }
    expect(limited.filter((status) => status === 429).length).toBeGreaterThan(20)
    return [answers, limited]
  })
  expect(registered).toEqual(unknown)
})

test("A54: an address in another alphabet is never folded into a member's address", async () => {
  const world = createWorld()
  const id = crypto.randomUUID()
  const email = `ski-${id}@example.com`
  await accounts["verified"]?.(email)
  // The sign of the kelvin, a long s, a dotted capital I, a full width s, a soft hyphen, a joiner.
  for (const part of ["s\u212ai", "\u017fki", "sk\u0130", "\uff53ki", "sk\u00adi", "sk\u200di"]) {
    for (const step of allSteps) {
      const [path, body] = steps[step]
      const odd = { ...body, email: `${part}-${id}@example.com` }
      const answer = await ask(createBrowser(bound, webUrl), path, odd)
      expect([step, part, answer.status]).toEqual([step, part, 400])
    }
  }
  const entries = await bound.DB.prepare(
    "select count(*) as n from audit_entry where subject_id = (select id from user where email = ?)",
  )
    .bind(email)
    .first("n")
  expect([entries, world.emails]).toEqual([0, []])
})

test("A55: what strangers ask about an address with a tag is nothing to the address without", async () => {
  const world = createWorld()
  const name = `tagged-${crypto.randomUUID()}`
  const email = `${name}@example.com`
  await accounts["verified"]?.(email)
  for (const tagged of [`${name}+tag@example.com`, `${name}+@example.com`]) await exhaust(tagged)
  const signIn = createBrowser(bound, webUrl)
  expect((await ask(signIn, "/api/auth/sign-in/email", { email, password })).status).toBe(200)
  const before = world.emails.length
  await ask(createBrowser(bound, webUrl), "/api/auth/request-password-reset", { email })
  const emails = (await world.arrived(before + 1)).slice(before)
  expect(emails.map(({ to }) => to)).toEqual([email])
})

test("a browser that is known for its own address learns nothing about another", async () => {
  createWorld()
  using __ = stopClock()
  const { email: ownEmail } = await createPerson()
  const unverified = { ...bound, VERIFY_EMAIL: "false" }
  const [registered, unknown] = await observeBoth(async (email) => {
    const browser = createBrowser(unverified, webUrl)
    expect(
      (await browser.post("/api/auth/sign-in/email", { email: ownEmail, password })).status,
    ).toBe(200)
    const answers: unknown[] = []
    for (const step of ["sign-up", "sign-in", "reset", "resend"] as const) {
      const [path, body] = steps[step]
      // The session is no part of it, and the mark stays.
      for (const name of browser.cookies.keys()) {
        if (name.includes("session")) browser.cookies.delete(name)
      }
      answers.push(await askAbout(path, email, body, copyBrowser(browser, bound, webUrl)))
    }
    return answers
  })
  expect(registered).toEqual(unknown)
})
