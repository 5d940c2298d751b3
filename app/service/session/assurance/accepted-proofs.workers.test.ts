import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import routes from "../../../../docs/routes.json"
import { bind, createBrowser } from "../../../testing/browser.ts"
import { createMailbox, mail } from "../../../testing/mailbox.ts"
import { createNetwork } from "../../../testing/network.ts"
import { createProvenPerson } from "../../../testing/passkey-person.ts"
import { password } from "../../../testing/person.ts"
import { createSeededRandom } from "../../../testing/seeded-random.ts"

/* Combinations of what an account has, who it is, what a session has shown and what the stack file offers. */

declare const SEEDED_ROUNDS: number
declare const SEEDED_FROM: number
/** The part of all combinations, `n/m`: an isolate of the tests may have 10,000 timers. */
declare const KINDS_PART: string

const mailbox = createMailbox()

function combine<Value extends object>(parts: Value[][]): Value[] {
  return parts.reduce((combinations, part) =>
    combinations.flatMap((a) => part.map((b) => Object.assign({}, a, b))),
  )
}

type Case = Partial<{
  password: boolean
  totp: boolean
  passkey: boolean
  identity: boolean
  shown: "passkey" | "trusted" | null
  /** A proof that has ended, or one of this moment in another browser. */
  proof: "ended" | "elsewhere"
  role: string
  required: string
  PASSKEYS: string
  PASSWORDS: string
  EMAIL_CODE: string
  PROVIDERS: string
}>

type Found = {
  given: Case
  ways: string[] | undefined
  isByEmail: boolean
  isByPassword: boolean
  isHeld: boolean
  isLetIn: [before: boolean, after: boolean]
}

/** Acts for which the password in their body is a proof, where it is one at all. */
const byPassword: Record<string, string> = {
  "POST /api/auth/change-password":
    "the password, in the browser of the session; with a factor also a proof of the last ten minutes",
  "POST /api/auth/delete-user":
    "the password, or a proof of the last ten minutes; with a factor the latter",
}

const authenticators: Case[][] = [
  [{ password: true }, { password: false }],
  [{ totp: true }, { totp: false }],
  [{ passkey: true }, { passkey: false }],
]
const switches: Case[][] = [
  [{ PASSKEYS: "localhost" }, { PASSKEYS: "off" }],
  [{ PASSWORDS: "on" }, { PASSWORDS: "off" }],
]

function isOff(value: string | undefined) {
  return value === "off"
}

/** The cases of the table in `docs`. */
const tabled = combine<Case>([
  ...authenticators,
  [{ shown: "passkey" }, { shown: null }],
  ...switches,
  [{ identity: true, proof: "ended", role: "member", required: "none" }],
])

const everyCase = combine<Case>([
  ...authenticators,
  [{ identity: true }, { identity: false }],
  [{ shown: "passkey" }, { shown: "trusted" }, { shown: null }],
  [{ proof: "ended" }, { proof: "elsewhere" }],
  [{ role: "member" }, { role: "admin" }, { role: "owner" }],
  [{ required: "none" }, { required: "owners" }, { required: "admins" }, { required: "everybody" }],
  ...switches,
  [{ EMAIL_CODE: "on" }, { EMAIL_CODE: "off" }],
  [{ PROVIDERS: "on" }, { PROVIDERS: "off" }],
  // The service refuses an environment in which a new account has no sign-in method.
]).filter(
  ({ PASSWORDS, EMAIL_CODE, PROVIDERS }) => ![PASSWORDS, EMAIL_CODE, PROVIDERS].every(isOff),
)

/** All of them where the rounds are those of a full run, else some. */
function chooseCases() {
  if (SEEDED_ROUNDS >= 100) {
    const [part, parts] = KINDS_PART.split("/").map(Number)
    return everyCase.filter((_, index) => index % (parts ?? 1) === part)
  }
  const random = createSeededRandom(SEEDED_FROM)
  return Array.from({ length: SEEDED_ROUNDS * 60 }, () => random.pick(everyCase) ?? {})
}

const covered: Record<string, string[]> = {
  none: [],
  owners: ["owner"],
  admins: ["admin", "owner"],
  everybody: ["member", "admin", "owner"],
}

/**
 * Returns what an attacker must hold at least, without the service's own rules: an offered second authenticator
 * if there is one or one was shown; otherwise the password, and without one the mailbox.
 */
function truthOf({ totp, passkey, shown, PASSKEYS, role = "", required = "", ...rest }: Case) {
  const hasPassword = rest.password === true && rest.PASSWORDS === "on"
  const isShown = shown === "passkey" || (shown === "trusted" && role === "member")
  const isHeld = covered[required]?.includes(role) === true && !isShown
  if (totp === true || passkey === true || shown !== null) {
    return {
      isHeld,
      ways: [
        ...(totp === true ? ["totp", "recovery"] : []),
        ...(passkey === true && PASSKEYS !== "off" ? ["passkey"] : []),
      ],
    }
  }
  return { isHeld, ways: hasPassword ? ["password", "sign-in"] : ["sign-in", "email"] }
}

type Session = { userId: string; hash: string }

/** The account as the case has it, with one session. */
async function become({ userId, hash }: Session, change: Case) {
  const run = (sql: string, ...values: (string | number | null)[]) =>
    env.DB.prepare(sql).bind(...values)
  const { totp, passkey, shown = null, role = "member", proof } = change
  const addAccount = (provider: string, secret: string | null) =>
    run(
      `insert into account (id, account_id, provider_id, user_id, password, created_at, updated_at)
       values (?1 || ?2, ?1, ?2, ?1, ?3, 1, 1)`,
      userId,
      provider,
      secret,
    )
  await env.DB.batch([
    run("delete from attempt"),
    run("delete from passkey where user_id = ?", userId),
    run("delete from second_factor where user_id = ?", userId),
    run("delete from recovery_code where user_id = ?", userId),
    run("delete from account where user_id = ?", userId),
    ...(change.password === true ? [addAccount("credential", hash)] : []),
    ...(change.identity === true ? [addAccount("idp", null)] : []),
    run(
      "update user set role = ?, second_factor_since = ? where id = ?",
      role,
      totp === true ? 1 : null,
      userId,
    ),
    run(
      "update session set factor = ?, proven_at = ? where user_id = ?",
      shown,
      proof === "elsewhere" ? Date.now() : 1,
      userId,
    ),
    ...(totp === true
      ? [
          run("insert into second_factor values (?, 'secret', 'key', 0, 1, 1)", userId),
          run("insert into recovery_code (hash, user_id) values (?, ?)", userId, userId),
        ]
      : []),
    ...(passkey === true
      ? [
          run(
            `insert into passkey (id, user_id, credential_id, public_key, algorithm, name, created_at)
             values (?1, ?1, ?1, 'k', -7, 'n', 1)`,
            userId,
          ),
        ]
      : []),
  ])
}

/** Compares what the service accepts in each case with the expectation. */
async function tryCases(cases: Case[]) {
  const person = await createProvenPerson()
  const hash = env.DB.prepare("select password from account where user_id = ?").bind(person.id)
  const session = { userId: person.id, hash: (await hash.first<string>("password")) ?? "" }
  const actual: Found[] = []
  const expected: Found[] = []
  for (const current of cases) {
    const { PASSKEYS, PASSWORDS, EMAIL_CODE = "off", PROVIDERS = "on", required } = current
    const bound = bind({
      ...mail,
      LIMIT_MEMBER: undefined,
      PASSKEYS,
      PASSWORDS,
      EMAIL_CODE,
      REQUIRE_SECOND_FACTOR: required,
      ...(PROVIDERS === "on" && {
        IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: "https://idp.example" } }),
        IDP_CLIENT_ID: "client-at-the-provider",
      }),
    })
    const browser = createBrowser(bound)
    for (const [name, value] of person.browser.cookies) {
      const isLeft = current.proof === "elsewhere" && name.endsWith("session_binding")
      if (!isLeft) browser.cookies.set(name, value)
    }
    const post = async (path: string, body: object) => {
      const answer = await browser.post(`/api/${path}`, body)
      const content = await answer.json<{ code?: string; data?: { ways?: string[] } }>()
      return { status: answer.status, ...content }
    }
    await become(session, current)
    const read = await browser.get("/api/auth/list-sessions")
    const before = await post("v1/beginTotp", {})
    const stepUp = await post("auth/step-up/begin", {})
    const stepped = await post("auth/step-up", { password })
    const after = await post("v1/beginTotp", {})
    const { ways, isHeld } = truthOf(current)
    const isByPassword = ways.includes("password")
    const isByEmail = ways.includes("email")
    actual.push({
      given: current,
      ways: stepUp.data?.ways ?? stepped.data?.ways,
      isByEmail: stepUp.status === 200,
      isByPassword: stepped.status === 200,
      isHeld: read.status === 403,
      isLetIn: [before.status === 200, after.status === 200],
    })
    expected.push({
      given: current,
      ways,
      isByEmail,
      isByPassword,
      isHeld,
      isLetIn: [false, isByPassword],
    })
  }
  expect(actual).toEqual(expected)
  return actual
}

test(
  "no proof is accepted that is weaker than what the account has, and what is switched off opens nothing",
  { timeout: 60_000 + SEEDED_ROUNDS * 10_000 },
  async () => {
    createNetwork({ "mail.example": mailbox.remote })
    expect(await tryCases(chooseCases())).not.toEqual([])
  },
)

test("a table says what proves a session, by what its account has", async () => {
  createNetwork({ "mail.example": mailbox.remote })
  const actual = await tryCases(tabled)
  // Acts, what they ask for and what proves it; `npm run routes` writes it.
  const table = {
    acts: Object.fromEntries(
      Object.entries(routes).flatMap(([route, { who }]) => {
        const isProven = who.endsWith("after a step-up")
        const needed =
          byPassword[route] ?? (isProven ? "a proof of the last ten minutes" : undefined)
        return needed === undefined ? [] : [[route, needed]]
      }),
    ),
    proofs: Object.fromEntries(
      actual.map(({ given, ways }) => {
        const { shown, PASSKEYS, PASSWORDS } = given
        const has = (["password", "totp", "passkey"] as const).filter((name) => given[name])
        const off = [PASSKEYS === "off" && "passkeys", PASSWORDS === "off" && "passwords"]
        const session = shown === null ? "" : "; the session has shown a factor"
        const offered = off.filter(Boolean).join(", ")
        const account = `${has.join(", ") || "identities alone"}${offered && `; off: ${offered}`}${session}`
        return [account, ways?.join(", ") || "none"]
      }),
    ),
  }
  await expect(`${JSON.stringify(table, null, 2)}\n`).toMatchFileSnapshot(
    "../../../../docs/assurance.json",
  )
})
