import { failures } from "../http/failure.ts"

/** An error as an operation declares it. */
export type Failing = { code: string; status: number; message: string }

type Named = keyof typeof failures

export function edge(...codes: Named[]): Failing[] {
  return codes.map((code) => ({ code, status: failures[code][0], message: failures[code][1] }))
}

/** What any operation may answer before it is reached. */
export function common(method: string) {
  return [
    ...edge("INVALID_ORIGIN", "INTERNAL_SERVER_ERROR", "SERVICE_MISCONFIGURED"),
    ...(method === "POST"
      ? edge("MISSING_OR_NULL_ORIGIN", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE")
      : []),
  ]
}

export const errorSchema = {
  type: "object",
  required: ["code", "message"],
  properties: {
    code: { type: "string", description: "For programs; it does not change" },
    message: { type: "string", description: "For people; it may" },
    defined: { type: "boolean", description: "Whether a typed operation declares it" },
    status: { type: "integer" },
    data: {
      type: "object",
      properties: {
        issues: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "message"],
            properties: {
              path: { type: "array", items: { type: ["string", "integer"] } },
              message: { type: "string" },
            },
          },
        },
      },
    },
  },
} as const

type Answer = {
  description: string
  content: Record<string, { schema: object; examples: Record<string, { value: Failing | object }> }>
}

/**
 * Turns declared errors into responses by status. Each set of codes becomes one component, which
 * operations share.
 */
export function createErrorResponses() {
  const components: Record<string, Answer> = {}
  const responsesOf = (errors: Failing[]) => {
    const byStatus = Map.groupBy(errors, ({ status }) => String(status))
    return Object.fromEntries(
      [...byStatus].map(([status, group]) => {
        const name = group.map(({ code }) => code).join(".")
        components[name] ??= answerOf(group)
        return [status, { $ref: `#/components/responses/${name}` }]
      }),
    )
  }
  return { components, responsesOf }
}

function answerOf(group: Failing[]): Answer {
  return {
    description: group.map(({ code, message }) => `${code}: ${message}`).join(". "),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(
          group.map(({ code, message }) => [code, { value: { code, message } }]),
        ),
      },
    },
  }
}
