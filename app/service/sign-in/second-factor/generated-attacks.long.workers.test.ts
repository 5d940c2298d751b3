import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createAuthenticator } from "../../../testing/authenticator.ts"
import { bind, type Browser, copyBrowser, createBrowser } from "../../../testing/browser.ts"
import { begin, createFactorPerson, finish, turnOn } from "../../../testing/factor-person.ts"
import { enter } from "../../../testing/passkey-person.ts"
import { createSeededRandom } from "../../../testing/seeded-random.ts"

/*
 * A thief knows the member's password, has read every code that the member ever typed, owns the app that the member
 * had before, and has an account with a factor and a trusted browser of their own. Generated sequences of what they
 * can do in browsers of theirs, between acts of the member: none of them opens the member's account, or changes it.
 */

/** Fours of sequences; set by the configuration of the tests. */
declare const SEEDED_ROUNDS: number

const acts = 14

function newBound(seed: number) {
  return bind({
    LIMIT_ADDRESS: undefined,
    LIMIT_EMAIL: undefined,
    EMAIL_CODE: "on",
    MAIL_URL: undefined,
    KEEP_MAIL: "true",
    ENVIRONMENT: "preview",
    ...(seed % 2 === 0 && { REQUIRE_SECOND_FACTOR: "everybody" }),
  })
}

async function createScene(seed: number) {
  const bound = newBound(seed)
  const random = createSeededRandom(seed)
  const member = await createFactorPerson(bound)
  const lostApp = member.app
  const { app, recoveryCodes } = await turnOn(member)
  const thief = await createFactorPerson(bound)
  const thiefBrowser = createBrowser(bound)
  await begin(thiefBrowser, thief)
  const [thiefsCode = "", ...thiefsCodes] = thief.recoveryCodes
  const trusting = await finish(thiefBrowser, { recoveryCode: thiefsCode, trustBrowser: true })
  if (trusting.status !== 200) throw new Error("the thief's own browser is not trusted")
  const browsers = [thiefBrowser, createBrowser(bound), createBrowser(bound)]
  /** Codes that the member has typed, and cookies that a browser of the thief's had. */
  const heard: object[] = [{ recoveryCode: thiefsCodes[0] }]
  const cookies: [string, string][] = [...thiefBrowser.cookies]
  return {
    bound,
    random,
    member,
    app,
    lostApp,
    recoveryCodes,
    thief,
    browsers,
    heard,
    kept: cookies,
  }
}

type Scene = Awaited<ReturnType<typeof createScene>>

function remember({ kept }: Scene, browser: Browser) {
  kept.push(...browser.cookies)
}

/** Picks a credential of the thief: only codes that the member has used already. */
function shownBy({ random, heard, lostApp, thief }: Scene) {
  return random.pick<object>([
    ...heard,
    { code: lostApp.code() },
    { code: lostApp.code(1) },
    { code: thief.app.code() },
    { recoveryCode: "aaaa-bbbb-cccc-dddd" },
    { recoveryCode: "" },
  ])
}

const ofThief: Record<string, (scene: Scene, browser: Browser) => Promise<unknown>> = {
  "signs in": async (scene, browser) => {
    await begin(browser, scene.member)
    remember(scene, browser)
  },
  "signs in as themselves": async (scene, browser) => {
    await begin(browser, scene.thief)
    remember(scene, browser)
  },
  "finishes with what they have": async (scene, browser) => {
    await finish(browser, { ...shownBy(scene), trustBrowser: true })
    remember(scene, browser)
  },
  "signs in, and finishes with what they have": async (scene, browser) => {
    await begin(browser, scene.member)
    remember(scene, browser)
    await finish(browser, shownBy(scene) ?? {})
  },
  "puts a cookie of another browser in": async ({ random, kept }, browser) => {
    const [name, value] = random.pick(kept) ?? ["", ""]
    browser.cookies.set(name, value)
  },
  "puts the value of a cookie in under another name": async ({ random, kept }, browser) => {
    const [name] = random.pick(kept) ?? [""]
    browser.cookies.set(name, random.pick(kept)?.[1] ?? "")
  },
  "drops all cookies": async (_scene, browser) => browser.cookies.clear(),
  "steps up": async (scene, browser) => {
    const { password } = scene.member
    const body = scene.random.pick<object>([{ password }, shownBy(scene) ?? {}])
    await browser.post("/api/auth/step-up", body)
  },
  "uses a passkey of their own": async (_scene, browser) => {
    await enter(browser, await createAuthenticator())
  },
  "asks for a code by e-mail, and guesses": async ({ member }, browser) => {
    await browser.post("/api/auth/sign-in/code/begin", { email: member.email })
    await browser.post("/api/auth/sign-in/code", { code: "12345678" })
  },
  "signs up with the address": async ({ member }, browser) => {
    const { email, password } = member
    await browser.post("/api/auth/sign-up/email", { name: "Eve", email, password })
  },
  "proves the address with the password": async ({ member, kept, random }, browser) => {
    const token = random.pick(kept)?.[1] ?? ""
    await browser.post("/api/auth/verify-email-with-password", { token, password: member.password })
  },
  "turns a factor of their own on": async (_scene, browser) => {
    const started = await browser.post("/api/v1/beginTotp", {})
    const { enrolment = "" } = await started.json<{ enrolment?: string }>()
    await browser.post("/api/v1/confirmTotp", { enrolment, code: "000000" })
  },
  "turns the factor off": (_scene, browser) => browser.post("/api/v1/turnOffSecondFactor", {}),
  "asks for new recovery codes": (_scene, browser) =>
    browser.post("/api/v1/renewRecoveryCodes", {}),
  "changes the password": ({ member: { password } }, browser) =>
    browser.post("/api/auth/change-password", {
      currentPassword: password,
      newPassword: "eve's!!!",
    }),
  "deletes the account": ({ member: { password } }, browser) =>
    browser.post("/api/auth/delete-user", { password }),
}

const ofMember: Record<string, (scene: Scene) => Promise<unknown>> = {
  "signs in with a recovery code that the thief reads": async (scene) => {
    const { bound, member, recoveryCodes, heard } = scene
    const recoveryCode = recoveryCodes.pop()
    const browser = createBrowser(bound)
    await begin(browser, member)
    const { status } = await finish(browser, { recoveryCode })
    await browser.post("/api/auth/sign-out")
    heard.push({ recoveryCode })
    return status
  },
  "steps up with a code that the thief reads": async (scene) => {
    const { member, app, heard } = scene
    const code = app.code()
    await member.browser.post("/api/auth/step-up", { code })
    heard.push({ code })
  },
  "trusts no browser any more": ({ member }) => member.post("forgetBrowsers", {}),
}

/** All that a thief could have changed. */
async function stateOf({ member: { id } }: Scene) {
  const user = `select name, email, role, email_verified, second_factor_since from user where id = ?1`
  const app = "select secret, key_id from second_factor where user_id = ?1"
  const ways = "select id, provider_id, password from account where user_id = ?1"
  const keys = "select id from passkey where user_id = ?1"
  const trusted = "select hash from trusted_browser where user_id = ?1"
  const read = [user, app, ways, keys, trusted].map((sql) => env.DB.prepare(sql).bind(id))
  const results = await env.DB.batch(read)
  const codes = env.DB.prepare("select count(*) as n from recovery_code where user_id = ?").bind(id)
  const sessions = env.DB.prepare("select count(*) as n from session where user_id = ?").bind(id)
  return {
    rows: results.map((rows) => rows.results),
    codes: await codes.first("n"),
    sessions: await sessions.first("n"),
  }
}

async function isIn({ member }: Scene, browser: Browser) {
  const answer = await browser.get("/api/auth/get-session")
  const session = await answer.json<{ user: { id: string } } | null>()
  return session?.user.id === member.id
}

test.each(Array.from({ length: SEEDED_ROUNDS * 4 }, (_, index) => index + 1))(
  "a thief with the password and all that was typed before is not in, by sequence %i",
  async (seed) => {
    const scene = await createScene(seed)
    const { random, browsers, member, recoveryCodes, bound } = scene
    const done: string[] = []
    let state = await stateOf(scene)
    for (let at = 0; at < acts; at += 1) {
      const browser = random.pick(browsers) ?? browsers[0]
      if (browser === undefined) throw new Error("no browser")
      if (random.next() < 0.2) {
        const name = random.pick(Object.keys(ofMember)) ?? ""
        done.push(`the member ${name}`)
        await ofMember[name]?.(scene)
        state = await stateOf(scene)
      } else {
        const name = random.pick(Object.keys(ofThief)) ?? ""
        done.push(`the thief ${name}`)
        await ofThief[name]?.(scene, browser)
      }
      expect([done, await stateOf(scene)]).toEqual([done, state])
      for (const signedOut of browsers) {
        expect([done, await isIn(scene, signedOut)]).toEqual([done, false])
      }
    }

    // The member can still sign in.
    const home = copyBrowser(member.browser, bound)
    expect((await begin(home, member)).status).toBe(403)
    const { status } = await finish(home, { recoveryCode: recoveryCodes.pop() })
    expect([done, status]).toEqual([done, 200])
  },
)
