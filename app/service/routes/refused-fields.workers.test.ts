import { beforeAll, expect, test } from "vitest"

import { bind, webUrl } from "../../testing/browser.ts"
import { fields, operations, type Schema } from "../../testing/described.ts"
import { createPerson, type Person } from "../../testing/person.ts"

/** The webhook's body is the payment provider's, and a health check has no form. */
const ofOthers = new Set(["/api/v1/processWebhook", "/api/health"])

type Try = { value: unknown; limit?: { minimum: number } | { maximum: number } }

/** Returns values that the schema of a field rejects, by their fault. */
function wrongFor({ minLength = 0, maxLength, format, type }: Schema, isText: boolean) {
  const tries: Record<string, Try> = {}
  if (maxLength !== undefined) {
    tries["too long"] = { value: "x".repeat(maxLength + 1), limit: { maximum: maxLength } }
  }
  if (minLength > 1) tries["empty"] = { value: "", limit: { minimum: minLength } }
  else if (minLength === 1 || format !== undefined) tries["empty"] = { value: "" }
  if (!isText) tries["of a wrong kind"] = { value: { neither: "text nor number" } }
  else if (type === "integer" || type === "number") tries["of a wrong kind"] = { value: "many" }
  return tries
}

const tries = fields
  .filter(({ path }) => !ofOthers.has(path))
  .flatMap(({ path, field, own, example, required }) => {
    const wrong: Record<string, Try> = { ...wrongFor(own, false) }
    if (required.includes(field)) wrong["missing"] = { value: undefined }
    return Object.entries(wrong).map(([title, { value, limit }]) => {
      return { path, field, what: title, body: { ...example, [field]: value }, limit }
    })
  })

const queries = operations
  .filter(({ path, method }) => method === "GET" && path.startsWith("/api/v1/"))
  .flatMap(({ path, parameters = [] }) =>
    parameters
      .filter(({ in: place }) => place === "query")
      .flatMap(({ name, schema }) =>
        Object.entries(wrongFor(schema, true)).map(([title, { value, limit }]) => {
          const query = new URLSearchParams({ [name]: String(value) }).toString()
          return { path, field: name, what: title, query, limit }
        }),
      ),
  )

let owner: Person

beforeAll(async () => {
  const unlimited = { LIMIT_ADDRESS: undefined, LIMIT_EMAIL: undefined, LIMIT_MEMBER: undefined }
  // The origin of the pages in the examples.
  const trusted = { AUTH_TRUSTED_ORIGIN: `${webUrl},https://app.example.com` }
  owner = await createPerson(bind({ ...unlimited, ...trusted }), "owner")
})

/** A validator's words are for programmers. */
const validators = /invalid input|expected|too (big|small)|>=|<=|undefined|NaN|regex|pattern/i

async function expectRefusal(response: Response, field: string, limit: Try["limit"]) {
  const answer = await response.json<{
    code: string
    data: { issues: { path: string[]; message: string }[] }
  }>()
  expect([response.status, answer.code], JSON.stringify(answer)).toEqual([400, "BAD_REQUEST"])
  const issues = answer.data.issues.filter(({ path }) => path[0] === field)
  const expected = expect.objectContaining({ message: expect.any(String), ...limit })
  expect(issues, JSON.stringify(answer)).toContainEqual(expected)
  for (const { message } of issues) expect(message).not.toMatch(validators)
}

test("every operation with fields is tried", () => {
  const paths = new Set(tries.map(({ path }) => path))
  expect([...paths]).toEqual(
    expect.arrayContaining([
      "/api/auth/sign-up/email",
      "/api/v1/updateProfile",
      "/api/v1/changeRole",
    ]),
  )
  expect(tries.length).toBeGreaterThan(60)
})

test.each(tries)("$path rejects $field if it is $what", async ({ path, field, body, limit }) => {
  await expectRefusal(await owner.browser.post(path, body), field, limit)
})

test.each(queries)("$path rejects $field if it is $what", async ({ path, field, query, limit }) => {
  const response = await owner.browser.get(`${path}?${query}`)
  await expectRefusal(response, field, limit)
})

test("a page without its origin is refused by a sentence that shows a whole one", async () => {
  const response = await owner.browser.post("/api/auth/sign-in/email", {
    email: "ada@example.com",
    password: "a good long password",
    callbackURL: "/verified",
  })
  expect(await response.json()).toMatchObject({
    code: "BAD_REQUEST",
    data: {
      issues: [
        {
          path: ["callbackURL"],
          message: `Must be an absolute URL of a trusted origin, such as ${webUrl}/`,
        },
      ],
    },
  })
})

test("a trusted page that emails may not link to is rejected with the pages that they may", async () => {
  const callbackURL = `${webUrl}/undeclared`
  const response = await owner.browser.post("/api/auth/send-verification-email", {
    email: "ada@example.com",
    callbackURL,
  })
  expect(response.status).toBe(400)
  const message = `Must be ${webUrl}/ or exactly one of the pages in accounts:letterPages`
  expect(await response.json()).toMatchObject({
    data: { issues: [{ path: ["callbackURL"], message }] },
  })
})
