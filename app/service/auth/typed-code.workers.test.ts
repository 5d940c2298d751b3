import { expect, test } from "vitest"

import { createPerson } from "../../testing/person.ts"
import committed from "../openapi/openapi.json"
import { openMail } from "./address/testing/mover.ts"

type Body = {
  example?: object
  schema: { properties?: Record<string, { pattern?: string }> }
}

/** Every field of every operation that takes digits alone. */
const fields = Object.entries(committed.paths).flatMap(([path, methods]) =>
  Object.values(methods).flatMap((operation) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of our own making, too deep to infer
    const { requestBody } = operation as {
      requestBody?: { content: { "application/json"?: Body } }
    }
    const { example, schema } = requestBody?.content["application/json"] ?? {}
    return Object.entries(schema?.properties ?? {}).flatMap(([field, { pattern }]) => {
      const length = /^\^\\d\{(\d)\}\$$/.exec(pattern ?? "")?.[1]
      return length === undefined ? [] : [{ path, field, example, length: Number(length) }]
    })
  }),
)

test("codes of letters and of apps are tried", () => {
  expect(fields.map(({ path, length }) => `${path.split("/").at(-1)} ${length}`)).toEqual([
    "confirmEmail 8",
    "confirmTotp 6",
    "code 8",
    "step-up 6",
    "step-up 8",
    "second-factor 6",
  ])
})

test.each(fields)("$path takes the digits of $field with blanks among them", async (operation) => {
  const { path, field, example, length } = operation
  const mail = openMail({ EMAIL_CODE: "on" })
  const { browser } = await createPerson(mail.bound)
  const typed = async (value: string) => {
    const answer = await browser.post(path, { ...example, [field]: value })
    return await answer.json<{ code: string; data?: { issues?: { path: string[] }[] } }>()
  }
  const isRefused = async (value: string) => {
    const { data } = await typed(value)
    return (data?.issues ?? []).some(({ path: [name] }) => name === field)
  }
  const code = "1".repeat(length)
  expect(await isRefused(` ${code.slice(0, 3)}\u00a0${code.slice(3)}\n`)).toBe(false)
  expect(await isRefused(`${code.slice(1)}x`)).toBe(true)
})
