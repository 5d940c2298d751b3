import * as z from "zod"

import { d1ErrorMessages } from "./d1-error-texts.ts"

/** `*` matches any characters, including `/`; the pattern must match the whole text. */
const Pattern = z.string().min(1).max(500)

const Match = z.strictObject({
  surface: z.enum(["api", "edge", "d1"]),
  method: z
    .string()
    .transform((method) => method.toUpperCase())
    .optional(),
  /** Excludes the query string. */
  path: Pattern.optional(),
  host: Pattern.optional(),
  /** The `User-Agent` header. */
  client: Pattern.optional(),
  /** A substring of an API request's body, or of a query's SQL. */
  contains: z.string().min(1).optional(),
  /** A database's id. */
  database: z.string().optional(),
})

const When = z
  .strictObject({
    /** The first matching request that the rule may hit, counted from 1. */
    nth: z.number().int().min(1).default(1),
    /** The maximum number of requests to hit. Default: one, or unlimited with a probability. */
    times: z.number().int().min(1).optional(),
    probability: z.number().gt(0).max(1).optional(),
    seed: z.number().int().optional(),
  })
  .refine(({ probability, seed }) => (probability === undefined) === (seed === undefined), {
    message: "probability and seed go together: without a seed no run is repeatable",
  })
  .prefault({})

/** Whether the request is applied before its response fails. */
const applied = z.boolean().default(false)
const ms = z.number().int().min(0).max(3_600_000)

const Action = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("status"),
    status: z.number().int().min(400).max(599),
    /** Cloudflare's JSON envelope, or the error page of its edge. */
    body: z.enum(["json", "html"]).default("json"),
    code: z.number().int().default(10_013),
    message: z.string().default("An unknown error has occurred."),
    headers: z.record(z.string(), z.string()).default({}),
    applied,
  }),
  z.strictObject({ type: z.literal("delay"), ms }),
  z.strictObject({ type: z.literal("hang"), applied }),
  z.strictObject({ type: z.literal("reset"), applied }),
  z.strictObject({
    type: z.literal("kill"),
    /** `storage`, or the name of a script, which kills all its versions. */
    process: z.string().min(1),
    /** Milliseconds after the request's arrival. At 0, the process is killed before the request is served. */
    ms: ms.default(0),
  }),
  z.strictObject({ type: z.literal("d1-error"), error: z.enum(d1ErrorMessages), applied }),
])
export type Action = z.infer<typeof Action>

const actionsOf: Record<z.infer<typeof Match>["surface"], string[]> = {
  api: ["status", "delay", "hang", "reset", "kill"],
  edge: ["status", "delay", "hang", "reset", "kill"],
  d1: ["d1-error", "delay", "hang", "kill"],
}
const keysOf: Record<z.infer<typeof Match>["surface"], string[]> = {
  api: ["method", "path", "host", "client", "contains"],
  edge: ["method", "path", "host", "client"],
  d1: ["contains", "database"],
}

export const Rule = z
  .strictObject({
    /** Generated if absent. */
    name: z.string().min(1).max(100).optional(),
    match: Match,
    when: When,
    action: Action,
  })
  .superRefine(({ match: { surface, ...matched }, action }, context) => {
    if (!actionsOf[surface].includes(action.type)) {
      context.addIssue({
        code: "custom",
        path: ["action", "type"],
        message: `"${action.type}" is not available on the surface ${surface}; choose one of ${actionsOf[surface].join(", ")}`,
      })
    }
    for (const [key, value] of Object.entries(matched)) {
      if (value === undefined || keysOf[surface].includes(key)) continue
      context.addIssue({
        code: "custom",
        path: ["match", key],
        message: `the surface ${surface} has no ${key}; it matches by ${keysOf[surface].join(", ")}`,
      })
    }
  })
export type Rule = z.infer<typeof Rule>

/** Matches the whole text with a pattern in which `*` means any characters. Undefined matches any text. */
export function matchesPattern(pattern: string | undefined, text = ""): boolean {
  if (pattern === undefined) return true
  const source = pattern.split("*").map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`))
  return new RegExp(`^${source.join(".*")}$`, "s").test(text)
}
