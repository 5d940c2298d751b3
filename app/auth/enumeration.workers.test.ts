import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import committed from "../../docs/openapi.json"
import { bindProduction, createBrowser } from "../testing/browser.ts"
import { stopClock } from "../testing/clock.ts"
import { createCountingDatabase } from "../testing/counting-database.ts"
import { hashesSoFar } from "../testing/light-scrypt.ts"
import { createMailbox } from "../testing/mailbox.ts"
import { createNetwork } from "../testing/network.ts"
import { createPerson, password } from "../testing/person.ts"
import { createSeededRandom, type Random } from "../testing/seeded-random.ts"
import worker from "../worker.ts"

/** Inputs per route and kind of account; set by the configuration of the tests. */
declare const SEEDED_ROUNDS: number

const webUrl = "https://app.example.com"

/** Routes that anybody may call and that take an e-mail address, of all that are described. */
const routes = Object.entries(committed.paths).flatMap(([path, methods]) =>
  Object.values(methods).flatMap((operation) => {
    const isPublic = !("security" in operation)
    return isPublic && JSON.stringify(operation.requestBody ?? "").includes('"email"') ? [path] : []
  }),
)

test("the public routes that take an e-mail address are these", () => {
  expect(routes.toSorted()).toEqual([
    "/api/auth/request-password-reset",
    "/api/auth/send-verification-email",
    "/api/auth/sign-in/email",
    "/api/auth/sign-up/email",
  ])
})

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
  }
}

/** Each makes an account for the address. */
const accounts: Record<string, (email: string) => Promise<unknown>> = {
  verified: (email) => join(email, "email_verified = 1"),
  "unverified, with data": (email) => join(email, "email_verified = 0"),
  "unverified, never used": (email) => join(email, "unproven_since = created_at"),
  "without a password": async (email) => {
    await join(email, "email_verified = 1")
    await env.DB.prepare(
      "delete from account where user_id = (select id from user where email = ?)",
    )
      .bind(email)
      .run()
  },
}

async function join(email: string, change: string) {
  const { id } = await createPerson()
  await env.DB.prepare(`update user set email = ?, ${change} where id = ?`).bind(email, id).run()
}

const counting = createCountingDatabase(env.DB)
const bound = bindProduction({
  DB: counting.database,
  LIMIT_EMAIL: undefined,
  LIMIT_ADDRESS: undefined,
})

/** What a caller sees, but for ids, times and the address itself, and what took time. */
async function askAbout(path: string, email: string, body: object) {
  let seen: unknown
  const before = hashesSoFar()
  const sent = await counting.during(async () => {
    const response = await createBrowser(bound, webUrl).post(path, { ...body, email })
    const text = await response.text()
    seen = [
      response.status,
      text
        .replaceAll(email.toLowerCase(), "<address>")
        .replaceAll(/user_[0-9a-z]{24}/g, "<id>")
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"),
      response.headers.get("retry-after"),
      // Ids are signed; names and attributes must not differ.
      response.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, "")),
    ]
  })
  // Literals are parameters, so the statements are equal if their texts are.
  return { seen, sent, hashed: hashesSoFar() - before }
}

const cases = routes.flatMap((path) => Object.keys(accounts).map((kind) => [path, kind] as const))

test.each(cases)(
  "%s does not tell an address with an account (%s) from one without",
  // `npm run soak` asks for many rounds, each of two password hashes.
  { timeout: 120_000 + SEEDED_ROUNDS * 10_000 },
  async (path, kind) => {
    const mailbox = createMailbox()
    using _ = createNetwork({ "mail.example": mailbox.remote })
    // Retry-After counts down.
    using __ = stopClock()
    const random = createSeededRandom(path.length * 31 + kind.length)
    let [known, unknown] = ["", ""]
    for (let round = 0; round < SEEDED_ROUNDS; round += 1) {
      // Several rounds on one address reach its limits.
      if (round % 15 === 0) {
        const suffix = `${round}-${crypto.randomUUID().slice(0, 8)}@example.com`
        ;[known, unknown] = [`known-${suffix}`, `other-${suffix}`]
        await accounts[kind]?.(known)
      }
      const body = bodyOf(random)
      const [one, two] = [await askAbout(path, known, body), await askAbout(path, unknown, body)]
      expect({ round, body, ...one }).toEqual({ round, body, ...two })
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
  const { promise: held, resolve: release } = Promise.withResolvers<Response>()
  const network = createNetwork({ "mail.example": () => held })
  using _ = network
  for (const path of routes) {
    const email = `held-${crypto.randomUUID()}@example.com`
    await accounts["unverified, never used"]?.(email)
    const request = new Request(`https://api.example.com${path}`, {
      method: "POST",
      headers: { origin: webUrl, "content-type": "application/json" },
      body: JSON.stringify({ name: "Ada", email, password }),
    })
    // Hangs if it waits.
    await (await worker.fetch(request, bound, createExecutionContext())).text()
  }
  await expect.poll(() => network.requests.length).toBe(3)
  release(Response.json({}))
})
