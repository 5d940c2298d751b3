import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import * as z from "zod"

import { bind, copyBrowser } from "../../../testing/browser.ts"
import { createMailbox, mail } from "../../../testing/mailbox.ts"
import { createNetwork } from "../../../testing/network.ts"
import { createPerson, password } from "../../../testing/person.ts"
import type { Env } from "../../platform/configuration/env.ts"

type Method = "password" | "provider" | "passkey" | "old provider"

const providers = JSON.stringify({
  idp: { issuer: "https://idp.example", emailDomains: ["*"] },
})
const client = {
  IDENTITY_PROVIDERS: providers,
  IDP_CLIENT_ID: "client",
  IDP_CLIENT_SECRET: "secret at the provider",
}

const environments: Record<string, Partial<Env>> = {
  "offers all": client,
  "has no passkeys": { ...client, PASSKEYS: "off" },
  "has no passwords": { ...client, PASSWORDS: "off" },
  "sends codes": { ...client, ...mail, EMAIL_CODE: "on" },
  "requires a factor": { ...client, REQUIRE_SECOND_FACTOR: "everybody" },
}

const accounts: Method[][] = [
  ["password"],
  ["passkey"],
  ["password", "passkey"],
  ["provider", "passkey"],
  ["password", "old provider"],
  ["password", "provider", "passkey", "passkey"],
]

function insertAccount(providerId: string, id: string) {
  return env.DB.prepare(
    `insert into account (id, user_id, provider_id, account_id, created_at, updated_at)
     values (?1 || ?2, ?2, ?1, ?2, 1, 1)`,
  ).bind(providerId, id)
}

/** A member with only these methods, in the session of the sign-up. */
async function createMember(methods: Method[]) {
  const person = await createPerson()
  const { id } = person
  const inserts = methods.flatMap((method, at) => {
    if (method === "password") return []
    if (method !== "passkey") return [insertAccount(method === "provider" ? "idp" : "gone", id)]
    const insert = `insert into passkey (id, user_id, credential_id, public_key, algorithm, name, created_at)
      values ('passkey_' || ?1 || ?2, ?1, 'credential of ' || ?1 || ?2, 'key', -7, 'Phone', 1)`
    return [env.DB.prepare(insert).bind(id, at)]
  })
  const remove = "delete from account where user_id = ? and provider_id = 'credential'"
  await env.DB.batch([
    env.DB.prepare("update user set email_verified = 1, unproven_since = null where id = ?").bind(
      id,
    ),
    env.DB.prepare("update session set factor = 'passkey' where user_id = ?").bind(id),
    ...inserts,
    ...(methods.includes("password") ? [] : [env.DB.prepare(remove).bind(id)]),
  ])
  return person
}

const Listed = z.object({
  passwordRemoval: z.string().nullable(),
  providers: z.array(z.object({ providerId: z.string(), removal: z.string() })),
  passkeys: z.array(z.object({ id: z.string(), removal: z.string() })),
  secondFactorRequired: z.boolean(),
})

/** Values of `removal`, by the code with which the removal is refused. */
const removals: Record<string, string> = {
  FAILED_TO_UNLINK_LAST_ACCOUNT: "last_method",
  LAST_WAY: "last_method",
  SECOND_FACTOR_MANDATORY: "required_factor",
}

async function listAt(bound: Env, methods: Method[]) {
  const { browser } = await createMember(methods)
  const memberBrowser = copyBrowser(browser, bound)
  const listed = Listed.parse(await (await memberBrowser.get("/api/v1/listWays")).json())
  const remove = async (path: string, body: object) => {
    const answer = await memberBrowser.post(path, body)
    const { code = "" } = await answer.json<{ code?: string }>()
    return answer.ok ? "allowed" : (removals[code] ?? code)
  }
  const unlink = (providerId: string) => remove("/api/auth/unlink-account", { providerId })
  return [
    ...(listed.passwordRemoval === null
      ? []
      : [{ removal: listed.passwordRemoval, remove: () => unlink("credential") }]),
    ...listed.providers.map(({ providerId, removal }) => ({
      removal,
      remove: () => unlink(providerId),
    })),
    ...listed.passkeys.map(({ id: passkeyId, removal }) => ({
      removal,
      remove: () => remove("/api/v1/removePasskey", { passkeyId }),
    })),
  ]
}

test.each(Object.entries(environments))(
  "the list says of each method whether it can be removed, as the removal does: an environment that %s",
  async (_, changes) => {
    using _network = createNetwork({ "mail.example": createMailbox().remote })
    const bound = bind(changes)
    for (const methods of accounts) {
      for (const at of methods.keys()) {
        const listed = await listAt(bound, methods)
        expect(listed).toHaveLength(methods.length)
        expect({ methods, at, removal: listed[at]?.removal }).toEqual({
          methods,
          at,
          removal: await listed[at]?.remove(),
        })
      }
    }
  },
)

test("when the password was changed is told, and no change of the address is told as one", async () => {
  const mailbox = createMailbox()
  using _ = createNetwork({ "mail.example": mailbox.remote })
  const person = await createPerson(bind(mail))
  const changedAt = async () => (await person.get("listWays")).body["passwordChangedAt"]
  const first = String(await changedAt())
  expect(Date.parse(first)).toBeGreaterThan(Date.now() - 60_000)
  const newPassword = "a newer long password"
  await person.browser.post("/api/auth/change-password", { currentPassword: password, newPassword })
  const second = String(await changedAt())
  expect(Date.parse(second)).toBeGreaterThan(Date.parse(first))
  const newEmail = `changed-${crypto.randomUUID()}@example.com`
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(person.id).run()
  await person.post("changeEmail", { newEmail })
  const code = await mailbox.codeOf(newEmail)
  expect((await person.post("confirmEmail", { newEmail, code })).status).toBe(200)
  expect(await changedAt()).toBeNull()
})

test("the list says whether the environment requires a second factor of the member's role", async () => {
  const required = async (bound: Env, role: "member" | "admin") => {
    const { browser } = await createPerson(bind(), role)
    await env.DB.exec("update session set factor = 'totp'")
    const answer = await copyBrowser(browser, bound).get("/api/v1/listWays")
    return Listed.parse(await answer.json()).secondFactorRequired
  }
  const admins = bind({ REQUIRE_SECOND_FACTOR: "admins" })
  expect(await required(admins, "admin")).toBe(true)
  expect(await required(admins, "member")).toBe(false)
  expect(await required(bind(), "admin")).toBe(false)
})
