import * as z from "zod"

import { failures } from "./failure.ts"

/** A field that was refused: the sentence is for people, the numbers are the limits that it broke. */
export const Issue = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  message: z.string(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
})

type Found = {
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined
  message: string
}

/** As a schema has found them. */
export function describeIssues(found: readonly Found[]): z.infer<typeof Issue>[] {
  return found.map(({ path = [], message, ...rest }) => ({
    path: path.map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : String(key)
    }),
    message,
    ...limitOf("minimum", rest),
    ...limitOf("maximum", rest),
  }))
}

function limitOf(name: "minimum" | "maximum", issue: object) {
  const limit: unknown = Reflect.get(issue, name)
  return typeof limit === "number" ? { [name]: limit } : {}
}

type Issues = z.infer<typeof Issue>[]

/** The one answer to refused fields. */
export function createFieldsError(issues: Issues) {
  const { message } = failures.BAD_REQUEST
  return { code: "BAD_REQUEST", message, data: { issues } } as const
}

/** Of a link or redirect that would lead to an origin that is not trusted, or is relative. */
export function foreignPage(field: string, webUrl: string) {
  const message = `Must be an absolute URL of a trusted origin, such as ${webUrl}/`
  return { path: [field], message }
}

/** Of one to which no letter leads, whichever its origin. */
export function pageOfNoLetter(field: string, webUrl: string) {
  const message = `Must be ${webUrl}/ or exactly one of the pages in accounts:letterPages`
  return { path: [field], message }
}
