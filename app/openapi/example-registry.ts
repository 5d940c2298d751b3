import * as z from "zod"

import { administrationExamples } from "../admin/admin.examples.ts"
import { compatibilityExamples } from "../compatibility/compatibility.examples.ts"
import { consentExamples } from "../consent/consent.examples.ts"
import { healthExamples } from "../http/health.examples.ts"
import { journalExamples } from "../journal/journal.examples.ts"
import { paymentExamples } from "../payment/payment.examples.ts"
import { userExamples } from "../user/user.examples.ts"
import { authExamples } from "./auth.examples.ts"
import type { Examples } from "./examples.ts"

/** By operation id. Kept out of the schemas, which the Worker's bundle contains. */
export const examples: Examples = {
  ...userExamples,
  ...journalExamples,
  ...compatibilityExamples,
  ...paymentExamples,
  ...consentExamples,
  ...administrationExamples,
  ...authExamples,
  ...healthExamples,
}

const Body = z.looseObject({
  /** By media type. */
  content: z.record(z.string(), z.looseObject({})),
})

const Redirect = z.looseObject({
  headers: z.looseObject({ location: z.looseObject({}) }),
})

const Operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string() })),
  requestBody: Body.optional(),
  responses: z.looseObject({
    200: Body.optional(),
    302: Redirect.optional(),
    303: Redirect.optional(),
  }),
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
  const { 200: success, 302: redirect, 303: formRedirect } = responses
  return {
    ...described,
    parameters: parameters.map((parameter) =>
      Object.assign(parameter, { example: example.parameters?.[parameter.name] }),
    ),
    ...(requestBody && { requestBody: withBodyExample(requestBody, example.body) }),
    responses: {
      ...responses,
      ...(success && { 200: withBodyExample(success, example.answer) }),
      ...(redirect && { 302: withLocationExample(redirect, example.answer) }),
      ...(formRedirect && { 303: withLocationExample(formRedirect, example.answer) }),
    },
  }
}

function withBodyExample(part: z.infer<typeof Body>, example: unknown) {
  return {
    ...part,
    content: Object.fromEntries(
      Object.entries(part.content).map(([type, content]) => [type, { ...content, example }]),
    ),
  }
}

function withLocationExample(part: z.infer<typeof Redirect>, example: unknown) {
  return {
    ...part,
    headers: { ...part.headers, location: { ...part.headers.location, example } },
  }
}
