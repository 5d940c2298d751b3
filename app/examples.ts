import * as z from "zod"

import { compatibilityExamples } from "./compatibility/compatibility.examples.ts"
import { consentExamples } from "./consent/consent.examples.ts"
import { journalExamples } from "./journal/journal.examples.ts"
import { paymentExamples } from "./payment/payment.examples.ts"
import { administrationExamples } from "./service/admin/admin.examples.ts"
import { healthExamples } from "./service/http/health.examples.ts"
import { authExamples } from "./service/openapi/auth.examples.ts"
import type { Examples } from "./service/openapi/examples.ts"
import { tokenExamples } from "./service/token/token.examples.ts"
import { userExamples } from "./service/user/user.examples.ts"

/** By operation id. Kept out of the schemas, which the Worker's bundle contains. */
export const examples: Examples = {
  ...userExamples,
  ...journalExamples,
  ...compatibilityExamples,
  ...paymentExamples,
  ...consentExamples,
  ...tokenExamples,
  ...administrationExamples,
  ...authExamples,
  ...healthExamples,
}

/** A body, or a redirect. */
const Part = z.looseObject({
  /** By media type. */
  content: z.record(z.string(), z.looseObject({})).optional(),
  headers: z.looseObject({ location: z.looseObject({}).optional() }).optional(),
})
type Part = z.infer<typeof Part>

const Operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string() })),
  requestBody: Part.optional(),
  responses: z.looseObject({}),
})

/** Adds the operation's example to its parameters, request body and success response. */
export function withExample(described: object) {
  const { operationId, parameters, requestBody, responses } = Operation.parse(described)
  const example = examples[operationId]
  if (example === undefined) {
    throw new Error(
      `Operation ${operationId} has no example: add it to the folder's app/*/*.examples.ts`,
    )
  }
  const answered = Object.entries(responses).map(([status, response]) => [
    status,
    Number(status) < 400 ? withPartExample(Part.parse(response), example.answer) : response,
  ])
  return {
    ...described,
    parameters: parameters.map((parameter) =>
      Object.assign(parameter, { example: example.parameters?.[parameter.name] }),
    ),
    ...(requestBody && { requestBody: withPartExample(requestBody, example.body) }),
    responses: Object.fromEntries(answered),
  }
}

function withPartExample({ content, headers, ...part }: Part, example: unknown) {
  const location = headers?.location
  const types = Object.entries(content ?? {}).map(([type, one]) => [type, { ...one, example }])
  return {
    ...part,
    ...(headers && {
      headers: { ...headers, ...(location && { location: { ...location, example } }) },
    }),
    ...(content && { content: Object.fromEntries(types) }),
  }
}
