import { expect, test } from "vitest"
import * as z from "zod"

import { descriptions } from "../../../infra/openapi/descriptions.ts"
import { exceptions } from "../../../infra/openapi/sample-fields.ts"
import { webUrl } from "../../testing/browser.ts"
import { type Media, type Operation, operations } from "../../testing/described.ts"
import { ofNouns } from "../../testing/nouns.ts"
import { createPerson } from "../../testing/person.ts"
import { offeredPaths } from "../routes/endpoints.ts"
import committed from "./openapi.json"

type Shown = { schema: Media["schema"]; example?: unknown }

/** Every part of the operation that has an example, except the shared errors. */
function shownBy({ parameters = [], requestBody, responses }: Operation): [string, Shown][] {
  return [
    ...parameters.map((parameter): [string, Shown] => [parameter.name, parameter]),
    ...Object.entries({ body: requestBody, ...responses }).flatMap(
      ([name, part]): [string, Shown][] =>
        Object.values(part?.content ?? {}).map((media) => [name, media]),
    ),
    ...Object.entries(responses).flatMap(([status, { headers }]): [string, Shown][] =>
      headers?.location ? [[`${status} location`, headers.location]] : [],
    ),
  ]
}

/** Forbids additional properties: otherwise a misspelt key of an example would match its schema. */
function closed(schema: object): Media["schema"] {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === "object" && value !== null && "properties" in value
      ? { additionalProperties: false, ...value }
      : value,
  )
}

test.each(operations)("the OpenAPI example of $operationId matches its schemas", (operation) => {
  const examples = shownBy(operation)
  const statuses = Object.keys(operation.responses).filter((status) => Number(status) < 400)
  expect(statuses).toHaveLength(1)
  expect(examples.map(([name]) => name.split(" ")[0])).toEqual(
    expect.arrayContaining([...statuses, ...(operation.requestBody ? ["body"] : [])]),
  )
  for (const [name, part] of examples) {
    expect(part, name).toHaveProperty("example")
    const { error } = z.fromJSONSchema(closed(part.schema)).safeParse(part.example)
    expect({ name, error }).toEqual({ name, error: undefined })
  }
})

test("every place that has an example of its own is in the API", () => {
  const places = new Set(operations.flatMap(placesOf))
  expect(Object.keys(exceptions).filter((place) => !places.has(place))).toEqual([])
})

test("every description is of an operation or a field of the API", () => {
  const places = operations.flatMap(placesOf)
  const isUnused = (end: string) =>
    !places.some((place) => `.${place}`.endsWith(`.${end.replace("|", "")}`))
  expect(Object.keys(descriptions.fields).filter(isUnused)).toEqual([])
  const ids = new Set(operations.map(({ operationId }) => operationId))
  expect(Object.keys(descriptions.procedures).filter((name) => !ids.has(name))).toEqual([])
  const isOffered = (path: string) => offeredPaths.some((offered) => offered.path === path)
  expect(Object.keys(descriptions.paths).filter((path) => !isOffered(path))).toEqual([])
})

function placesOf(operation: Operation): string[] {
  const { operationId } = operation
  return shownBy(operation).flatMap(([name, { schema }]) => {
    const part = name.replace(/^\d+ location$/, "location").replace(/^\d+$/, "answer")
    return placesIn(schema, `${operationId}.${part}`)
  })
}

function placesIn(schema: unknown, place: string): string[] {
  if (typeof schema !== "object" || schema === null) return []
  const inner = Object.entries(schema).flatMap(([key, value]) =>
    key === "properties"
      ? Object.entries(value).flatMap(([name, field]) => placesIn(field, `${place}.${name}`))
      : placesIn(value, place),
  )
  return [place].concat(inner)
}

test("the OpenAPI examples show every error by its code, matching the error schema", () => {
  const { responses, schemas } = committed.components
  const failure = z.fromJSONSchema(closed(schemas.Error))
  for (const [name, { description, content }] of Object.entries(responses)) {
    const examples = Object.entries(content["application/json"].examples)
    const codes = name.replace(/\.\d+$/, "")
    expect(examples.map(([code]) => code).join("."), name).toBe(codes)
    for (const [code, { value }] of examples) {
      expect(failure.parse(value)).toMatchObject({ code })
      expect(description).toContain(`${code}: ${value.message}`)
    }
  }
})

/**
 * Errors that an example may get: it names rows that do not exist here, and its password is wrong.
 * Any other error is a fault of the example.
 */
const absent: Record<string, string> = {
  changePassword: "INVALID_PASSWORD",
  deleteUser: "INVALID_PASSWORD",
  setPassword: "PASSWORD_EXISTS",
  changeEmail: "VERIFICATION_EMAIL_NOT_ENABLED",
  confirmEmail: "INVALID_CODE",
  renameSession: "NOT_FOUND",
  stepUp: "INVALID_PASSWORD",
  stepUpBegin: "STEP_UP_REQUIRED",
  recoverAccount: "RESET_PASSWORD_DISABLED",
  signInCodeBegin: "EMAIL_CODE_OFF",
  signInCode: "EMAIL_CODE_OFF",
  signInSecondFactor: "STEP_EXPIRED",
  beginTotp: "EMAIL_NOT_VERIFIED",
  confirmTotp: "INVALID_CODE",
  renewRecoveryCodes: "SECOND_FACTOR_OFF",
  turnOffSecondFactor: "SECOND_FACTOR_OFF",
  signInPasskey: "PASSKEY_REFUSED",
  passkeyAdd: "PASSKEY_REFUSED",
  renamePasskey: "NOT_FOUND",
  removePasskey: "NOT_FOUND",
  unlinkAccount: "ACCOUNT_NOT_FOUND",
  resetPassword: "INVALID_TOKEN",
  verifyEmail: "error=INVALID_TOKEN",
  verifyEmailWithPassword: "INVALID_TOKEN",
  openPasswordReset: "error=INVALID_TOKEN",
  signInWithProvider: "PROVIDER_NOT_FOUND",
  returnFromProvider: "error=provider_not_found",
  postFromProvider: "/api/auth/callback/idp?code=",
  sendVerificationEmail: "VERIFICATION_EMAIL_NOT_ENABLED",
  requestPasswordReset: "RESET_PASSWORD_DISABLED",
  sendReset: "RESET_PASSWORD_DISABLED",
  sendVerification: "VERIFICATION_EMAIL_NOT_ENABLED",
  inviteUser: "VERIFICATION_EMAIL_NOT_ENABLED",
  exportData: "BAD_REQUEST",
  readMember: "BAD_REQUEST",
  ...ofNouns(({ refusals }) => refusals),
}

test.each(operations)(
  "the OpenAPI example of $operationId is accepted as the API page sends it",
  async (operation) => {
    const { method, operationId, parameters = [], requestBody } = operation
    const { browser } = await createPerson(undefined, "owner")
    // As openapi/page/start.js does.
    const here = (text: string) => text.replaceAll("https://app.example.com", webUrl)
    const query = new URLSearchParams()
    let path = operation.path
    for (const { name, in: place, example } of parameters) {
      if (place === "path") path = path.replace(`{${name}}`, String(example))
      if (place === "query") query.set(name, here(String(example)))
    }
    const [[type, content] = []] = Object.entries(requestBody?.content ?? {})
    const body = textOf(type, content?.example)
    const headers = Object.fromEntries(
      parameters.flatMap(({ name, in: place, example }) =>
        place === "header" ? [[name, String(example)]] : [],
      ),
    )
    const response = await browser.send(method, `${path}?${query.toString()}`, {
      headers: { ...headers, ...(type !== undefined && { "content-type": type }) },
      ...(type !== undefined && { body: here(body) }),
    })
    const answer = `${response.headers.get("location") ?? ""} ${await response.text()}`
    const exchange = { status: response.status, answer }
    const { code } = Code.parse(
      response.ok || response.headers.has("location") ? {} : JSON.parse(answer),
    )
    const expected = absent[operationId] ?? "NOT_FOUND"
    if (response.status < 400 && !answer.includes("error=")) return
    expect({ ...exchange, found: code ?? answer }).toMatchObject({
      found: expect.stringContaining(expected),
    })
  },
)

function textOf(type: string | undefined, example: unknown) {
  if (type !== "application/x-www-form-urlencoded") return JSON.stringify(example)
  const fields = z.record(z.string(), z.string()).parse(example)
  return new URLSearchParams(fields).toString()
}

const Code = z.object({ code: z.string().optional() })
