import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { fields } from "../../testing/described.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createProvenPerson } from "../../testing/passkey-person.ts"
import { createPerson } from "../../testing/person.ts"
import { Email } from "../platform/mail/email-address.ts"
import { openMail } from "./address/testing/mover.ts"

/** Addresses that are stored as they are typed. */
const unchanged = `
  ada@example.com ada+shop@example.com ada.lovelace@example.co.uk a@b.cd a@b.c 1@2.example
  a&b@example.com first/last@example.com x=y@example.com a~b@example.com a#b@example.com
  a%b@example.com a!b@example.com a$b@example.com a*b@example.com a?b@example.com a^b@example.com
  a_b@example.com a{b}@example.com a|b@example.com o'hara@example.com
  -ada-@example.com .ada@example.com a..b@example.com ada@sub.sub.example.com ada@ex-ample.com
  ada@123.example ada@example.museum ada@example.xn--p1ai
`

/** Labels that make an address of 254 characters, the longest allowed, with `xx@` and `.com`. */
const labels = Array<string>(4).fill("a".repeat(61)).join(".")

/** Addresses that are stored in another form. */
const folded: [typed: string, stored: string][] = [
  [" Ada@Example.COM ", "ada@example.com"],
  ["\tada@example.com\n", "ada@example.com"],
  ["a`b@example.com", "a`b@example.com"],
  ["ada@XN--MNCHEN-3YA.DE", "ada@xn--mnchen-3ya.de"],
  ["ada@münchen.de", "ada@xn--mnchen-3ya.de"],
  ["ada@MÜNCHEN.de", "ada@xn--mnchen-3ya.de"],
  ["ada@mu\u0308nchen.de", "ada@xn--mnchen-3ya.de"],
  ["ada@пример.рф", "ada@xn--e1afmkfd.xn--p1ai"],
  ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"],
  ["ada@faß.example", "ada@xn--fa-hia.example"],
  [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
  [`a@${"b".repeat(63)}.example`, `a@${"b".repeat(63)}.example`],
  [`ab@${labels}.com`, `ab@${labels}.com`],
]

/** Rejected addresses: those without blanks, then those with blanks, escapes or a length. */
const refused = `
  ada ada@ @example.com ada@localhost ada@example. ada@.example ada@example..com ada@-example.com
  ada@example-.com ada@exa_mple.com ada@@example.com ada@b@example.com ada@[192.0.2.1]
  ada(comment)@example.com ada,bob@example.com jürgen@example.com
`
const refusedToo = [
  `${"a".repeat(65)}@example.com`,
  `a@${"b".repeat(64)}.example`,
  `abc@${labels}.com`,
  "",
  "ada lovelace@example.com",
  "ada@exa mple.com",
  '"ada lovelace"@example.com',
  "Ada <ada@example.com>",
  "ada\\@example.com",
  "ada\u0000@example.com",
  "ada@example\uff0ecom",
  "ada\uff20example.com",
  "ada@bob\uff20example.com",
  "ada@e\u212aample.com",
  "ada@\uff45xample.com",
  "ada@exa\u00admple.com",
  "ada@exa\u3002mple.com",
  "ada@m\u00fcnchen\u3002de",
  "ada@m\u00fcnchen.de/path",
  "ada@m\u00fcnchen.de:80",
  "ada@\u{1f600}\u202e.example",
]

function wordsOf(text: string) {
  return text.trim().split(/\s+/)
}

test("one grammar takes the addresses of browsers' email fields, and stores one form of each", () => {
  const shapes: [string, string | undefined][] = [
    ...wordsOf(unchanged).map((text): [string, string] => [text, text]),
    ...folded,
    ...[...wordsOf(refused), ...refusedToo].map((text): [string, undefined] => [text, undefined]),
  ]
  expect(shapes.length).toBeGreaterThan(75)
  expect(shapes.map(([text]) => [text, Email.safeParse(text).data])).toEqual(shapes)
})

/** Every field of every operation that is described as an address. */
const addressFields = fields
  .filter(({ own }) => own.format === "email")
  .map(({ path, field, example, required }) => {
    const needed = Object.entries(example).filter(([name]) => required.includes(name))
    return { path, field, needed: Object.fromEntries(needed) }
  })

/** Returns a spelling that a browser's email field prevents and another form can send. */
function typed(email: string) {
  return `\u00a0\t${email.toUpperCase()}\n `
}

/** A database that keeps what statements are given. */
function createHeedingDatabase() {
  const parameters: unknown[] = []
  const prepare = (sql: string) =>
    new Proxy(env.DB.prepare(sql), {
      get: (target, name) => {
        if (name !== "bind") return Reflect.get(target, name)
        return (...values: unknown[]) => {
          parameters.push(...values)
          return target.bind(...values)
        }
      },
    })
  const database = new Proxy(env.DB, {
    get: (target, name) => (name === "prepare" ? prepare : Reflect.get(target, name)),
  })
  return { database, given: parameters }
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
  const owner = await createProvenPerson(bound, "owner")
  return { mailbox, given, keys, bound, owner }
}

test("every operation that takes an address is tried", () => {
  expect(addressFields.map(({ path }) => path.split("/").slice(3).join("/"))).toEqual([
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

test.each(addressFields)("$path reads $field as it is stored, however typed", async (operation) => {
  const { path, field, needed } = operation
  const desk = await openDesk()
  const { browser } = path.startsWith("/api/v1/")
    ? desk.owner
    : { browser: createBrowser(desk.bound) }
  const ask = async (email: string) => {
    const [keys, bound] = [desk.keys.length, desk.given.length]
    const response = await browser.post(path, { ...needed, [field]: email })
    const { code } = await response.json<{ code?: string }>()
    return {
      answered: [response.status, code],
      keys: desk.keys.slice(keys),
      given: desk.given.slice(bound).filter((value) => typeof value === "string"),
    }
  }
  const address = () => `ada-${crypto.randomUUID()}@example.com`
  const plain = await ask(address())
  const stored = address()
  const asTyped = await ask(typed(stored))
  expect(asTyped.answered).toEqual(plain.answered)
  const values = asTyped.given.filter((value) => value.toLowerCase().includes(stored))
  expect(values.filter((value) => !value.includes(stored) || /[\s\u00a0]$/.test(value))).toEqual([])
  expect(asTyped.keys).toEqual((await ask(stored)).keys)
  for (const { to } of desk.mailbox.emails) expect(to).toBe(to.trim().toLowerCase())
})

test("an address has no character that folds to an ASCII letter", async () => {
  const desk = await openDesk()
  const invited = await desk.owner.post("inviteUser", { email: "bac\u212a@example.com" })
  expect(invited).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } })
})

/** Every field of every operation that takes digits alone. */
const digitFields = fields.flatMap(({ path, field, own, example }) => {
  const length = /^\^\\d\{(\d)\}\$$/.exec(own.pattern ?? "")?.[1]
  return length === undefined ? [] : [{ path, field, example, length: Number(length) }]
})

test("codes of emails and of apps are tried", () => {
  expect(digitFields.map(({ path, length }) => `${path.split("/").at(-1)} ${length}`)).toEqual([
    "confirmEmail 8",
    "confirmTotp 6",
    "code 8",
    "step-up 6",
    "step-up 8",
    "second-factor 6",
  ])
})

test.each(digitFields)(
  "$path takes the digits of $field with blanks among them",
  async (operation) => {
    const { path, field, example, length } = operation
    const { browser } = await createPerson(openMail({ EMAIL_CODE: "on" }).bound)
    const send = async (value: string) => {
      const answer = await browser.post(path, { ...example, [field]: value })
      return await answer.json<{ code: string; data?: { issues?: { path: string[] }[] } }>()
    }
    const isRefused = async (value: string) => {
      const { data } = await send(value)
      return (data?.issues ?? []).some(({ path: [name] }) => name === field)
    }
    const code = "1".repeat(length)
    expect(await isRefused(` ${code.slice(0, 3)}\u00a0${code.slice(3)}\n`)).toBe(false)
    expect(await isRefused(`${code.slice(1)}x`)).toBe(true)
  },
)
