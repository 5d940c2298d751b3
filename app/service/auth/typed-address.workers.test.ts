import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createPerson } from "../../testing/person.ts"
import committed from "../openapi/openapi.json"

type Body = {
  example?: object
  schema: { properties?: Record<string, { format?: string }>; required?: string[] }
}

/** Every field of every operation that is described as an address. */
const fields = Object.entries(committed.paths).flatMap(([path, methods]) =>
  Object.values(methods).flatMap((operation) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of our own making, too deep to infer
    const { requestBody } = operation as {
      requestBody?: { content: { "application/json"?: Body } }
    }
    const { example, schema } = requestBody?.content["application/json"] ?? {}
    const needed = Object.entries(example ?? {}).filter(([name]) =>
      schema?.required?.includes(name),
    )
    return Object.entries(schema?.properties ?? {})
      .filter(([, { format }]) => format === "email")
      .map(([field]) => ({ path, field, needed: Object.fromEntries(needed) }))
  }),
)

/** As a browser's e-mail field does not let it be typed, but a form of one's own does. */
function typed(email: string) {
  return `\u00a0\t${email.toUpperCase()}\n `
}

/** A database that keeps what statements are given. */
function createHeedingDatabase() {
  const given: unknown[] = []
  const prepare = (sql: string) =>
    new Proxy(env.DB.prepare(sql), {
      get: (target, name) => {
        if (name !== "bind") return Reflect.get(target, name)
        return (...values: unknown[]) => {
          given.push(...values)
          return target.bind(...values)
        }
      },
    })
  const database = new Proxy(env.DB, {
    get: (target, name) => (name === "prepare" ? prepare : Reflect.get(target, name)),
  })
  return { database, given }
}

async function openDesk() {
  const mailbox = openMailbox()
  const { database, given } = createHeedingDatabase()
  const keys: string[] = []
  const limit = {
    limit: ({ key }: { key: string }) => {
      keys.push(key)
      return Promise.resolve({ success: true })
    },
  }
  const bound = bind({
    DB: database,
    ...mail,
    EMAIL_CODE: "on",
    LIMIT_EMAIL: limit,
    LIMIT_ADDRESS: undefined,
    LIMIT_MEMBER: undefined,
  })
  const owner = await createPerson(bound, "owner")
  await env.DB.prepare("update user set email_verified = 1, unproven_since = null where id = ?")
    .bind(owner.id)
    .run()
  return { mailbox, given, keys, bound, owner }
}

test("signing up, in, for a code, a letter or a reset, inviting and moving are tried", () => {
  expect(fields.map(({ path }) => path.split("/").slice(3).join("/"))).toEqual([
    "changeEmail",
    "confirmEmail",
    "recoverAccount",
    "inviteUser",
    "sign-up/email",
    "sign-in/email",
    "sign-in/code/begin",
    "send-verification-email",
    "request-password-reset",
  ])
})

test.each(fields)("$path reads $field as it is stored, however typed", async (operation) => {
  const { path, field, needed } = operation
  const desk = await openDesk()
  const { browser } = path.startsWith("/api/v1/")
    ? desk.owner
    : { browser: createBrowser(desk.bound) }
  const ask = async (email: string) => {
    const [keys, given] = [desk.keys.length, desk.given.length]
    const response = await browser.post(path, { ...needed, [field]: email })
    const { code } = await response.json<{ code?: string }>()
    return {
      answered: [response.status, code],
      keys: desk.keys.slice(keys),
      given: desk.given.slice(given).filter((value) => typeof value === "string"),
    }
  }
  const address = () => `ada-${crypto.randomUUID()}@example.com`
  const plain = await ask(address())
  const own = address()
  const asTyped = await ask(typed(own))
  expect(asTyped.answered).toEqual(plain.answered)
  const others = asTyped.given.filter((value) => value.toLowerCase().includes(own))
  expect(others.filter((value) => !value.includes(own) || /[\s\u00a0]$/.test(value))).toEqual([])
  expect(asTyped.keys).toEqual((await ask(own)).keys)
  for (const { to } of desk.mailbox.emails) expect(to).toBe(to.trim().toLowerCase())
})

test("a letter that would become one of ours is no part of an address", async () => {
  const desk = await openDesk()
  const asked = await desk.owner.post("inviteUser", { email: "bac\u212a@example.com" })
  expect(asked).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } })
})
