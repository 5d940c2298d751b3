import { afterAll, expect, test } from "vitest"
import { stringify } from "yaml"

import { createSeededRandom } from "../../../app/testing/seeded-random.ts"
import { checkEnvironments } from "./check.ts"
import { Environment } from "./environment.ts"
import { all, createEnvironments, set } from "./testing/environments-folder.ts"

/** The choices of a run can be had again by its seed. */
function seeded(seed: number) {
  const { next } = createSeededRandom(seed)
  return {
    oneOf: <Item>(...items: [Item, ...Item[]]): Item =>
      items[Math.floor(next() * items.length)] ?? items[0],
    often: () => next() < 0.5,
  }
}

type Config = Record<string, unknown>

/** A production file that its owner may well have. */
function validFile(seed: number): (text: string) => string {
  const { oneOf, often } = seeded(seed)
  const domain = oneOf("acme.com", "accounts.acme.com", "acme.co.uk", "xn--mller-kva.de")
  const api = `https://${oneOf("api", "auth", "accounts-api")}.${domain}`
  const web = oneOf(`https://app.${domain}`, `https://www.${domain}`, `https://${domain}`)
  const maybe = (config: Config): Config => (often() ? config : {})
  const seals = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, { secure: `v1:${seed}:${name}` }]))
  const [idp, payment] = [often(), often()]
  const config = {
    "accounts:zone": domain.replace("accounts.acme.com", "acme.com"),
    "accounts:apiOrigin": api,
    "accounts:webOrigin": web,
    "accounts:mailUrl": "https://mail.acme.com/send",
    ...maybe({ "accounts:cookieDomain": domain }),
    ...maybe({ "accounts:trustedOrigins": oneOf([web, api], [web, `https://admin.${domain}`]) }),
    ...maybe({ "accounts:routes": [`${domain}/auth/*`] }),
    ...maybe({ "accounts:crons": oneOf([], ["*/15 * * * *"], ["0 3 * * MON-FRI", "30 4 L * *"]) }),
    ...maybe({ "accounts:attach": "route" }),
    ...maybe(oneOf({ "accounts:location": "enam" }, { "accounts:jurisdiction": "eu" })),
    ...maybe({ "accounts:mailFrom": `Accounts <no-reply@${domain}>` }),
    "accounts:identityProviders": idp
      ? { idp: { issuer: "https://id.acme.org", clientId: "c" } }
      : {},
    ...(payment ? { "accounts:paymentUrl": "https://api.stripe.com" } : {}),
    "accounts:secrets": seals(
      "AUTH_SECRET",
      ...(idp ? ["IDP_CLIENT_SECRET"] : []),
      ...(payment ? ["PAYMENT_SECRET", "PAYMENT_WEBHOOK_SECRET"] : []),
    ),
    // As `pulumi config set` writes them.
    ...maybe({ "accounts:patience": oneOf<unknown>("90", 90) }),
    ...maybe({ "accounts:protect": oneOf<unknown>("true", true) }),
    ...maybe({ "aws:region": "eu-central-1", "pulumi:tags": { team: "accounts" } }),
    ...maybe({
      "accounts:verifyEmail": false,
      "accounts:accept": { R42: "all come from the old site" },
    }),
  }
  const top = maybe({ environment: ["acme/production"] })
  return () =>
    stringify({
      ...top,
      config: {
        "accounts:environment": "production",
        "accounts:accountId": "0123456789abcdef0123456789abcdef",
        ...config,
      },
    })
}

const folder = createEnvironments()
afterAll(() => folder[Symbol.dispose]())

/** @param change begins with a file of its own, so nothing is left of the one before. */
function refusedOf(change: (text: string) => string) {
  folder.edit(change)
  const [production] = checkEnvironments(folder.directory, { label: "" })
  return production?.refused ?? []
}

/** `npm run soak` asks for more. */
const files = Number(process.env["GENERATED_FILES"] ?? 20)

test(`${files} generated files of a careful owner pass`, () => {
  for (let seed = 0; seed < files; seed += 1) {
    expect({ seed, refused: refusedOf(validFile(seed)) }).toEqual({ seed, refused: [] })
  }
})

/** Values that no key takes. */
const wrongTypes: unknown[] = [{ a: { b: 1 } }, [[1]], null]

test("a valid file with any one unknown key, wrong type or missing key is refused at that key", () => {
  const required = ["environment", "accountId", "apiOrigin", "webOrigin"]
  for (const [index, key] of Object.keys(Environment.shape).entries()) {
    const valid = validFile(index)
    const misspelt = (text: string) =>
      text.replace("config:\n", `config:\n  accounts:${key}s_: 1\n`)
    expect(refusedOf(all(valid, misspelt))).toContainEqual(
      expect.objectContaining({ rule: "R02", key: `accounts:${key}s_`, column: 3 }),
    )
    for (const value of wrongTypes) {
      const refused = refusedOf(all(valid, set(key, value)))
      const rules = refused.map(({ rule, key: at }) => ({ rule, at }))
      const at = expect.stringMatching(new RegExp(`^accounts:${key}(?:$|[.[])`))
      const expected = { rule: expect.stringMatching(/^R0[24]$/), at }
      expect({ key, value, rules }).toEqual({
        key,
        value,
        rules: expect.arrayContaining([expected]),
      })
      expect(rules).not.toContainEqual({ rule: "R03", at: `accounts:${key}` })
    }
  }
  for (const key of required) {
    const refused = refusedOf(all(validFile(7), set(key, undefined)))
    expect(refused).toContainEqual(expect.objectContaining({ rule: "R03", key: `accounts:${key}` }))
  }
})
