import * as z from "zod"

export function schemaOf(schema: z.core.$ZodType) {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io: "input" })
  return converted
}

export function jsonContent(schema: z.ZodType, example?: object) {
  return {
    "application/json": { schema: schemaOf(schema), ...(example && { example }) },
  }
}
