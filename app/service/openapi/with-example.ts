import * as z from "zod"

import { examples } from "../../examples.ts"

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
