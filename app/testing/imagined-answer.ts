import { paths, type Schema } from "./described.ts"

/**
 * Texts that are not free, though the description does not say it: a currency is an operator's, and checked.
 */
const fixed: Record<string, unknown> = { currency: "eur" }

type Imagined = {
  /** Text for every free field. */
  text: string
  /** Chooses among what an answer may say; a few consecutive ones have all of it. */
  variant: number
}

/** Generates a response that the API's description allows, with one text for every free field. */
export function imagineAnswer({ method, url }: Request, imagined: Imagined): unknown {
  const { pathname } = new URL(url)
  const operation = paths[pathname]?.[method.toLowerCase()]
  const schema = operation?.responses["200"]?.content?.["application/json"]?.schema
  if (schema === undefined) throw new Error(`${method} ${pathname} is not described`)
  return valueOf(schema, imagined)
}

function valueOf(schema: Schema, imagined: Imagined): unknown {
  const { variant, text } = imagined
  const choices = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== "null")
  if (choices !== undefined) return valueOf(choices[variant % choices.length] ?? {}, imagined)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[variant % schema.enum.length]
  const type = [schema.type].flat().find((candidate) => candidate !== "null")
  if (type === "object") return objectOf(schema, imagined)
  if (type === "array") {
    if (isNothing(schema.items ?? {})) return []
    return [0, 1].map((offset) => valueOf(schema.items ?? {}, { text, variant: variant + offset }))
  }
  if (type === "boolean") return variant % 2 === 0
  if (type === "integer" || type === "number") {
    return Math.min(schema.maximum ?? 7, Math.max(schema.minimum ?? 7, 7))
  }
  return textOf(schema, text)
}

/** Whether no value fits, such as for an empty list of names. */
function isNothing({ enum: names, properties = {} }: Schema): boolean {
  return names?.length === 0 || Object.values(properties).some(isNothing)
}

function textOf({ format }: Schema, text: string) {
  if (format === "date-time") return "2030-01-02T03:04:05.000Z"
  return format === "uri" && !URL.canParse(text) ? `https://elsewhere.example/${text}` : text
}

function objectOf({ properties = {}, additionalProperties }: Schema, imagined: Imagined) {
  const entries = Object.entries(properties).map(([name, schema]) => [
    name,
    fixed[name] ?? valueOf(schema, imagined),
  ])
  const open = typeof additionalProperties === "object" ? additionalProperties : undefined
  return Object.fromEntries(
    open === undefined ? entries : [...entries, [imagined.text, valueOf(open, imagined)]],
  )
}
