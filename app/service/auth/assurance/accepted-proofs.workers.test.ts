import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import routes from "../../../../docs/routes.json"
import { bind, createBrowser } from "../../../testing/browser.ts"
import { createMailbox } from "../../../testing/mailbox.ts"
import { createNetwork } from "../../../testing/network.ts"
import { createProvenPerson } from "../../../testing/passkey-person.ts"
import { password } from "../../../testing/person.ts"

/* Each combination of what an account has, who it is, what a session has shown and what the stack file offers. */

const mailbox = createMailbox()

function combine<Value extends object>(parts: Value[][]): Value[] {
  return parts.reduce((all, part) =>
    all.flatMap((one) => part.map((other) => Object.assign({}, one, other))),
  )
}

type Case = Partial<{
  password: boolean
  totp: boolean
  passkey: boolean
  shown: "passkey" | null
  role: string
  required: string
  PASSKEYS: string
  PASSWORDS: string
}>

type Found = {
  given: Case
  ways: string[] | undefined
  isByEmail: boolean
  isByPassword: boolean
  isLetIn: boolean
}

/** Acts for which the password in their body is a proof, where it is one at all. */
const byPassword: Record<string, string> = {
  "POST /api/auth/change-password":
    "the password; with a factor also a proof of the last ten minutes",
  "POST /api/auth/delete-user":
    "the password, or a proof of the last ten minutes; with a factor the latter",
}

const cases = combine<Case>([
  [{ password: true }, { password: false }],
  [{ totp: true }, { totp: false }],
  [{ passkey: true }, { passkey: false }],
  [{ shown: "passkey" }, { shown: null }],
  [{ PASSKEYS: "localhost" }, { PASSKEYS: "off" }],
  [{ PASSWORDS: "on" }, { PASSWORDS: "off" }],
  [
    { role: "member", required: "none" },
    { role: "admin", required: "admins" },
    { role: "owner", required: "none" },
  ],
])

/**
 * What an attacker must hold at least, said without the service's own judgement: where there is a second
 * authenticator, or one was shown, something of it that is offered; else the password, and without one the mailbox.
 */
function truthOf({ totp, passkey, shown, PASSKEYS, ...given }: Case) {
  const hasPassword = given.password === true && given.PASSWORDS === "on"
  if (totp === true || passkey === true || shown === "passkey") {
    return [
      ...(totp === true ? ["totp", "recovery"] : []),
      ...(passkey === true && PASSKEYS !== "off" ? ["passkey"] : []),
    ]
  }
  return hasPassword ? ["password", "sign-in"] : ["sign-in", "email"]
}

/** The account as the case has it, in a session that is proven no more. */
async function become(userId: string, given: Case) {
  const run = (sql: string, ...values: (string | number | null)[]) =>
    env.DB.prepare(sql).bind(...values)
  const { password: hasPassword, totp, passkey, shown = null, role = "member" } = given
  await env.DB.batch([
    run("delete from attempt"),
    run("delete from passkey where user_id = ?", userId),
    run("delete from second_factor where user_id = ?", userId),
    run("delete from recovery_code where user_id = ?", userId),
    run(
      "update account set provider_id = ? where user_id = ?",
      hasPassword === true ? "credential" : "idp",
      userId,
    ),
    run(
      "update user set role = ?, second_factor_since = ? where id = ?",
      role,
      totp === true ? 1 : null,
      userId,
    ),
    run("update session set factor = ?, proven_at = 1 where user_id = ?", shown, userId),
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

test("no proof is accepted that is weaker than what the account has, and what is switched off opens nothing", async () => {
  using _ = createNetwork({ "mail.example": mailbox.remote })
  const person = await createProvenPerson()
  const found: Found[] = []
  const expected: Found[] = []
  for (const given of cases) {
    const { PASSKEYS, PASSWORDS, required } = given
    const bound = bind({
      MAIL_URL: "https://mail.example/send",
      PASSKEYS,
      PASSWORDS,
      REQUIRE_SECOND_FACTOR: required,
      IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: "https://idp.example" } }),
      IDP_CLIENT_ID: "client-at-the-provider",
    })
    const browser = createBrowser(bound)
    for (const [name, value] of person.browser.cookies) browser.cookies.set(name, value)
    const post = async (path: string, body: object) => {
      const answer = await browser.post(`/api/${path}`, body)
      const told = await answer.json<{ code?: string; data?: { ways?: string[] } }>()
      return { status: answer.status, ...told }
    }
    // oxlint-disable-next-line no-await-in-loop -- one account becomes each of them
    await become(person.id, given)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const begun = await post("auth/step-up/begin", {})
    // oxlint-disable-next-line no-await-in-loop -- as above
    const stepped = await post("auth/step-up", { password })
    // oxlint-disable-next-line no-await-in-loop -- as above
    const act = await post("v1/beginTotp", {})
    const truth = truthOf(given)
    const isByPassword = truth.includes("password")
    const isByEmail = truth.includes("email")
    found.push({
      given,
      ways: begun.data?.ways ?? stepped.data?.ways,
      isByEmail: begun.status === 200,
      isByPassword: stepped.status === 200,
      isLetIn: act.status === 200,
    })
    expected.push({ given, ways: truth, isByEmail, isByPassword, isLetIn: isByPassword })
  }
  expect(found.length).toBe(192)
  expect(found).toEqual(expected)
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
      found.flatMap(({ given, ways }) => {
        const { role, shown, PASSKEYS, PASSWORDS } = given
        if (role !== "member") return []
        const has = (["password", "totp", "passkey"] as const).filter((name) => given[name])
        const off = [PASSKEYS === "off" && "passkeys", PASSWORDS === "off" && "passwords"]
        const session =
          shown === null || shown === undefined ? "" : "; the session has shown a factor"
        const offered = off.filter(Boolean).join(", ")
        const account = `${has.join(", ") || "identities alone"}${offered && `; off: ${offered}`}${session}`
        return [[account, ways?.join(", ") || "none"]]
      }),
    ),
  }
  await expect(`${JSON.stringify(table, null, 2)}\n`).toMatchFileSnapshot(
    "../../../../docs/assurance.json",
  )
})
