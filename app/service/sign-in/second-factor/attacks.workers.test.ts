import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { createApp } from "../../../testing/authenticator-app.ts"
import { bind, type Browser, copyBrowser, createBrowser } from "../../../testing/browser.ts"
import { stopClock } from "../../../testing/clock.ts"
import { begin, createFactorPerson, finish, later, turnOn } from "../../../testing/factor-person.ts"
import { createInterruptedDatabase } from "../../../testing/interrupted-database.ts"
import { mail, openMailbox } from "../../../testing/mailbox.ts"
import { createProvenPerson } from "../../../testing/passkey-person.ts"
import { resetPassword } from "../../../testing/password-reset.ts"
import { password } from "../../../testing/person.ts"
import { countRows } from "../../../testing/rows.ts"

const bound = bind({ LIMIT_ADDRESS: undefined, LIMIT_EMAIL: undefined })

type Holder = Awaited<ReturnType<typeof createFactorPerson>>

async function asked(person: Holder, bindings = bound) {
  const browser = createBrowser(bindings)
  expect((await begin(browser, person)).status).toBe(403)
  return browser
}

function sessionsOf({ id }: Holder) {
  return countRows("session", "user_id", id)
}

/** None that the app shows now, or a little earlier or later. */
function wrongCode({ app }: Holder) {
  const near = new Set([-2, -1, 0, 1, 2].map((half) => app.code(half)))
  return ["111111", "222222", "333333", "444444", "555555", "666666"].find(
    (code) => !near.has(code),
  )
}

test("a code opens one session: not twice, in parallel, in another browser or as one of an earlier step", async () => {
  using _ = stopClock()
  const person = await createFactorPerson(bound)
  const code = person.app.code(1)
  const earlier = person.app.code()
  const browsers = [await asked(person), await asked(person), await asked(person)]
  const before = Number(await sessionsOf(person))
  const answers = await Promise.all(browsers.map((browser) => finish(browser, { code })))
  expect(answers.map(({ status }) => status).toSorted((a, two) => a - two)).toEqual([200, 400, 400])
  expect(await sessionsOf(person)).toBe(before + 1)
  expect((await finish(await asked(person), { code })).status).toBe(400)
  expect((await finish(await asked(person), { code: earlier })).status).toBe(400)
  const stepUp = await person.browser.post("/api/auth/step-up", { code })
  expect(stepUp.status).toBe(400)
})

test("a code that was taken opens nothing after the form of its app has come again, with an older one", async () => {
  using _ = stopClock()
  const person = await createProvenPerson(bound)
  const { uri, enrolment } = (await person.post("beginTotp", {})).body
  const app = createApp(String(uri))
  const [older, code] = [app.code(-1), app.code()]
  expect((await person.post("confirmTotp", { enrolment, code })).status).toBe(200)
  expect((await person.post("confirmTotp", { enrolment, code: older })).status).toBe(200)
  const browser = createBrowser(bound)
  await begin(browser, person)
  expect((await finish(browser, { code })).body).toMatchObject({ code: "INVALID_CODE" })
  expect((await finish(browser, { code: app.code(1) })).status).toBe(200)
})

test("a recovery code that comes twice at once opens one session", async () => {
  const person = await createFactorPerson(bound)
  const [recoveryCode] = person.recoveryCodes
  const browsers = [await asked(person), await asked(person), await asked(person)]
  const answers = await Promise.all(browsers.map((browser) => finish(browser, { recoveryCode })))
  expect(answers.map(({ status }) => status).toSorted((a, two) => a - two)).toEqual([200, 400, 400])
})

test("a step is for its browser, once, for ten minutes, and nothing without its cookie", async () => {
  const person = await createFactorPerson(bound)
  const [first, second, third] = person.recoveryCodes
  const browser = await asked(person)
  const copy = copyBrowser(browser, bound)
  expect((await finish(createBrowser(bound), { recoveryCode: first })).body).toMatchObject({
    code: "STEP_EXPIRED",
  })
  expect((await finish(browser, { recoveryCode: first })).status).toBe(200)
  expect((await finish(copy, { recoveryCode: second })).body).toMatchObject({
    code: "STEP_EXPIRED",
  })
  using _ = stopClock()
  const slow = await asked(person)
  vi.setSystemTime(Date.now() + 10 * 60 * 1000 + 1000)
  expect((await finish(slow, { recoveryCode: third })).body).toMatchObject({ code: "STEP_EXPIRED" })
})

test("a step of one account takes no code of another, and none of another environment", async () => {
  const [person, thief] = [await createFactorPerson(bound), await createFactorPerson(bound)]
  const browser = await asked(person)
  expect((await finish(browser, { code: thief.app.code() })).status).toBe(400)
  expect((await finish(browser, { recoveryCode: thief.recoveryCodes[0] })).status).toBe(400)
  const rotated = copyBrowser(browser, {
    ...bound,
    AUTH_SECRET: "another-secret-of-the-tests-and-nothing-else",
  })
  expect((await finish(rotated, { code: person.app.code() })).status).toBe(401)
  expect((await finish(browser, { code: person.app.code() })).status).toBe(200)
})

test("a sign-in takes five tries, and then begins again", async () => {
  const person = await createFactorPerson(bound)
  const browser = await asked(person)
  const code = wrongCode(person)
  for (let tries = 0; tries < 5; tries += 1) {
    expect((await finish(browser, { code })).body).toMatchObject({ code: "INVALID_CODE" })
  }
  expect((await finish(browser, { code: person.app.code() })).body).toMatchObject({
    code: "STEP_EXPIRED",
  })
})

test("guesses over many sign-ins end after twenty, with an email; not for the owner's own browser or recovery code", async () => {
  const mailbox = openMailbox()
  const bindings = { ...bound, ...mail }
  const person = await createFactorPerson(bindings)
  const trusted = await asked(person, bindings)
  await finish(trusted, { code: person.app.code() })
  const statuses: number[] = []
  for (let guesses = 0; guesses < 21; guesses += 5) {
    const browser = await asked(person, bindings)
    for (let tries = 0; tries < 5; tries += 1) {
      statuses.push((await finish(browser, { code: wrongCode(person) })).status)
    }
  }
  expect(statuses).toEqual([...Array<number>(20).fill(400), ...Array<number>(5).fill(429)])
  const subjects = mailbox.emails.map(({ subject }) => subject)
  expect(
    subjects.filter((subject) => subject.startsWith("Someone is trying to guess")),
  ).toHaveLength(1)
  await later(person.id)
  const stranger = await asked(person, bindings)
  expect((await finish(stranger, { code: person.app.code() })).status).toBe(429)
  const [recoveryCode] = person.recoveryCodes
  expect((await finish(stranger, { recoveryCode })).status).toBe(200)
  await begin(trusted, person)
  expect((await finish(trusted, { code: person.app.code() })).status).toBe(200)
})

test("a code that was taken before does not make the wrong ones forgotten", async () => {
  const person = await createFactorPerson(bound)
  const used = person.app.code()
  await finish(await asked(person), { code: used })
  const statuses: number[] = []
  for (let guesses = 0; guesses < 24; guesses += 4) {
    const browser = await asked(person)
    for (const code of [wrongCode(person), wrongCode(person), wrongCode(person), used]) {
      statuses.push((await finish(browser, { code })).status)
    }
  }
  expect(statuses.slice(20)).toEqual([429, 429, 429, 429])
})

test("a wrong password says nothing of a factor, and costs what it costs without one", async () => {
  const person = await createFactorPerson(bound)
  const wrong = { email: person.email, password: "not it at all" }
  const refused = await begin(createBrowser(bound), wrong)
  const unknown = await begin(createBrowser(bound), { ...wrong, email: `x-${person.email}` })
  expect(refused).toEqual(unknown)
})

const changes = {
  "its factor is turned off": "update user set second_factor_since = null where id = ?",
  "another app takes its place": "update second_factor set secret = 'another' where user_id = ?",
  "the code was taken": "update second_factor set last_step = 99999999999 where user_id = ?",
  "its account is suspended": "update user set suspended_at = 1 where id = ?",
  "access to it ends": "delete from verification where value = ?",
  "it is deleted": "delete from user where id = ?",
}

test.each(Object.entries(changes))(
  "a code opens nothing where, while it is checked, %s",
  async (_, change) => {
    const person = await createFactorPerson(bound)
    const { database: DB, interrupt, isDone } = createInterruptedDatabase()
    const browser = copyBrowser(await asked(person), { ...bound, DB })
    await env.DB.prepare("delete from session where user_id = ?").bind(person.id).run()
    interrupt(/insert into "session"/, () => env.DB.prepare(change).bind(person.id).run())
    expect((await finish(browser, { code: person.app.code() })).status).toBe(400)
    expect([isDone(), await sessionsOf(person)]).toEqual([true, 0])
  },
)

test("a sign-in that is under way as the factor is turned on opens no session", async () => {
  const person = await createFactorPerson(bound)
  await person.post("turnOffSecondFactor", {})
  const { database: DB, interrupt } = createInterruptedDatabase()
  const browser = createBrowser({ ...bound, DB })
  interrupt(/insert into "session"/, () =>
    env.DB.prepare("update user set second_factor_since = ? where id = ?")
      .bind(Date.now(), person.id)
      .run(),
  )
  expect((await begin(browser, person)).status).toBe(401)
  expect((await browser.get("/api/v1/getProfile")).status).toBe(401)
})

test("a reset keeps the factor, and ends steps and trust: reading the emails does not sign in", async () => {
  const mailbox = openMailbox()
  const bindings = { ...bound, ...mail }
  const person = await createFactorPerson(bindings)
  const trusted = await asked(person, bindings)
  await finish(trusted, { code: person.app.code(), trustBrowser: true })
  const waiting = await asked(person, bindings)
  const reader = createBrowser(bindings)
  const newPassword = "another long password"
  await resetPassword(reader, mailbox, { email: person.email, newPassword })
  const recovery = { recoveryCode: person.recoveryCodes[0] }
  expect((await finish(waiting, recovery)).body).toMatchObject({ code: "STEP_EXPIRED" })
  for (const browser of [trusted, reader]) {
    expect((await begin(browser, { ...person, password: newPassword })).status).toBe(403)
    expect((await browser.get("/api/v1/getProfile")).status).toBe(401)
  }
  expect((await finish(reader, recovery)).status).toBe(200)
})

test("trust is of one account, of thirty days, and ends with a change of the password", async () => {
  const [person, stranger] = [await createFactorPerson(bound), await createFactorPerson(bound)]
  const browser = await asked(person)
  await finish(browser, { code: person.app.code(), trustBrowser: true })
  expect((await begin(copyBrowser(browser, bound), stranger)).status).toBe(403)
  expect((await begin(copyBrowser(browser, bound), person)).status).toBe(200)
  using _ = stopClock()
  const now = Date.now()
  vi.setSystemTime(now + 30 * 24 * 60 * 60 * 1000 + 1000)
  expect((await begin(copyBrowser(browser, bound), person)).status).toBe(403)
  vi.setSystemTime(now)
  const newPassword = "another long password"
  const body = { currentPassword: password, newPassword }
  expect((await person.browser.post("/api/auth/change-password", body)).status).toBe(200)
  expect(
    (await begin(copyBrowser(browser, bound), { ...person, password: newPassword })).status,
  ).toBe(403)
})

type App = Awaited<ReturnType<typeof turnOn>>["app"]

/** How many wrong codes are compared of five in each browser. */
async function guess(browsers: Browser[], person: { email: string; app: App }) {
  const { app, email } = person
  let compared = 0
  for (const browser of browsers) {
    expect((await begin(browser, { email, password })).status).toBe(403)
    const near = new Set([-2, -1, 0, 1, 2].map((half) => app.code(half)))
    const code = ["111111", "222222", "333333", "444444", "555555", "666666"].find(
      (candidate) => !near.has(candidate),
    )
    for (let tries = 0; tries < 5; tries += 1) {
      if ((await finish(browser, { code })).status === 400) compared += 1
    }
  }
  return compared
}

const six = Array.from({ length: 6 })

test("browsers that knew the password before the factor try twenty codes a day, together with all others", async () => {
  const person = await createProvenPerson(bound)
  const browsers: Browser[] = []
  for (const _ of six) {
    const browser = createBrowser(bound)
    await begin(browser, person)
    await browser.post("/api/auth/sign-out")
    browsers.push(browser)
  }
  const { app } = await turnOn(person)
  expect(await guess([...browsers, createBrowser(bound)], { ...person, app })).toBe(20)
})

test("the email of the sign-up and its password give no more than twenty tries", async () => {
  const mailbox = openMailbox()
  const bindings = { ...bound, VERIFY_EMAIL: "true", ...mail }
  const visitor = createBrowser(bindings)
  const email = `guessed-${crypto.randomUUID()}@example.com`
  await visitor.post("/api/auth/sign-up/email", { name: "Ada", email, password })
  const link = await mailbox.linkOf(email, "Verify your email address")
  await visitor.open(link)
  await begin(visitor, { email, password })
  const statement = env.DB.prepare("select id from user where email = ?").bind(email)
  const id = String(await statement.first("id"))
  const post = (path: string, body: unknown) => visitor.call(`/api/v1/${path}`, body)
  const { app } = await turnOn({ post, id })
  const token = new URL(link).searchParams.get("token")
  const browsers: Browser[] = []
  for (const _ of six) {
    const browser = createBrowser(bindings)
    const proven = await browser.post("/api/auth/verify-email-with-password", { token, password })
    expect(proven.status).toBe(200)
    browsers.push(browser)
  }
  expect(await guess(browsers, { email, app })).toBe(20)
})

test("a browser that has reset the password has shown no code, and tries with all others", async () => {
  const mailbox = openMailbox()
  const bindings = { ...bound, ...mail }
  const person = await createFactorPerson(bindings)
  const browser = createBrowser(bindings)
  const reset = { email: person.email, newPassword: password }
  expect((await resetPassword(browser, mailbox, reset)).status).toBe(200)
  const strangers = Array.from({ length: 5 }, () => createBrowser(bindings))
  expect(await guess([browser, browser, browser, browser, browser, ...strangers], person)).toBe(20)
})

test("guesses in other browsers do not lock a browser that has shown a code", async () => {
  const person = await createFactorPerson(bound)
  const browser = createBrowser(bound)
  await begin(browser, person)
  expect((await finish(browser, { code: person.app.code() })).status).toBe(200)
  await later(person.id)
  const strangers = six.map(() => createBrowser(bound))
  expect(await guess(strangers, person)).toBe(20)
  await begin(browser, person)
  expect((await finish(browser, { code: person.app.code() })).status).toBe(200)
})
