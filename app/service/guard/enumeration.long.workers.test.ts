import { createExecutionContext } from "cloudflare:test"
import { expect, test } from "vitest"

import {
  accounts,
  askAbout,
  bound,
  createWorld,
  ofThisRun,
  routes,
  tokenFor,
  webUrl,
} from "../../testing/asked-address.ts"
import { forgetAttempts, stopClock } from "../../testing/clock.ts"
import { password } from "../../testing/person.ts"
import { createSeededRandom, type Random } from "../../testing/seeded-random.ts"
import worker from "../../worker.ts"

/** Inputs per route and kind of account; set by the configuration of the tests. */
declare const SEEDED_ROUNDS: number

const names = ["Ada", " ", "", "x".repeat(101), "Ada\n", 7]
const passwords = ["wrong password", "short", "", "x".repeat(129), "a fourth long password"]
const images = ["https://example.com/a.png", "http://example.com/a.png", "data:,", 1]
const urls = [`${webUrl}/page`, "https://evil.example/", "/page", webUrl]

function bodyOf(random: Random) {
  const maybe = (name: string, values: unknown[], chance = 0.3) =>
    random.next() < chance ? { [name]: random.pick(values) } : {}
  return {
    name: "Grace",
    password: random.pick(passwords),
    ...maybe("name", names, 0.4),
    ...maybe("image", images),
    ...maybe("callbackURL", urls),
    ...maybe("redirectTo", urls),
    ...maybe("rememberMe", [true, false, "yes"]),
    ...maybe("role", ["owner"]),
    ...maybe("token", ["x"]),
    ...maybe("turnstile", ["a token of another page", "", 7], 0.1),
  }
}

const cases = routes.flatMap((path) =>
  ofThisRun(Object.keys(accounts)).map((kind) => [path, kind] as const),
)

test.each(cases)(
  "%s does not tell an address with an account (%s) from one without",
  // `npm run soak` asks for many rounds, each of two password hashes.
  { timeout: 120_000 + SEEDED_ROUNDS * 10_000 },
  async (path, kind) => {
    createWorld()
    // Retry-After counts down.
    using __ = stopClock()
    const random = createSeededRandom(path.length * 31 + kind.length)
    const bodies = Array.from({ length: SEEDED_ROUNDS }, () => bodyOf(random))
    // Several rounds on one address reach its limits.
    for (let round = 0; round < bodies.length; round += 15) {
      const suffix = `${round}-${crypto.randomUUID().slice(0, 8)}@example.com`
      await accounts[kind]?.(`known-${suffix}`)
      const answersByAddress: unknown[][] = []
      for (const email of [`known-${suffix}`, `other-${suffix}`]) {
        await forgetAttempts()
        const answers: unknown[] = []
        for (const body of bodies.slice(round, round + 15)) {
          answers.push({ body, ...(await askAbout(path, email, body)) })
        }
        answersByAddress.push(answers)
      }
      expect({ round, answers: answersByAddress[0] }).toEqual({
        round,
        answers: answersByAddress[1],
      })
    }
  },
)

test("a sign-in hashes one password, whether the address has an account, a password or neither", async () => {
  const path = "/api/auth/sign-in/email"
  for (const make of [...Object.values(accounts), async () => {}]) {
    const email = `hashed-${crypto.randomUUID()}@example.com`
    await make(email)
    const { hashed } = await askAbout(path, email, { password: "a wrong long password" })
    expect(hashed).toBe(1)
  }
})

test("no public route waits for an e-mail", async () => {
  const { promise: pendingMail, resolve: release } = Promise.withResolvers<Response>()
  const world = createWorld({ "mail.example": () => pendingMail })
  for (const path of routes) {
    const email = `held-${crypto.randomUUID()}@example.com`
    await accounts["unverified, never used"]?.(email)
    const request = new Request(`https://api.example.com${path}`, {
      method: "POST",
      headers: { origin: webUrl, "content-type": "application/json" },
      body: JSON.stringify({ name: "Ada", email, password, ...tokenFor(path) }),
    })
    // Hangs if it waits.
    await (await worker.fetch(request, bound, createExecutionContext())).text()
  }
  await expect.poll(() => world.letters()).toBe(4)
  release(Response.json({}))
})
