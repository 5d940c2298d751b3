import * as z from "zod"

import { d1ErrorTexts } from "./d1-error-texts.ts"

/** `*` stands for any characters, `/` among them; the pattern is for the whole of the text. */
const Pattern = z.string().min(1).max(500)

const Match = z.strictObject({
  surface: z.enum(["api", "edge", "d1"]),
  method: z
    .string()
    .transform((method) => method.toUpperCase())
    .optional(),
  /** Without the query string. */
  path: Pattern.optional(),
  host: Pattern.optional(),
  /** `User-Agent`. */
  client: Pattern.optional(),
  /** A text in the body of a request to the API, or in the SQL of a query. */
  contains: z.string().min(1).optional(),
  /** Id of a database. */
  database: z.string().optional(),
})

const When = z
  .strictObject({
    /** The first of the matching requests that may be spoilt. */
    nth: z.number().int().min(1).default(1),
    /** How many are, at most. Without it: one, or without end where there is a probability. */
    times: z.number().int().min(1).optional(),
    probability: z.number().gt(0).max(1).optional(),
    seed: z.number().int().optional(),
  })
  .refine(({ probability, seed }) => (probability === undefined) === (seed === undefined), {
    message: "probability and seed go together: without a seed no run could be repeated",
  })
  .prefault({})

/** Whether the request does its work before its answer goes wrong. */
const applied = z.boolean().default(false)
const ms = z.number().int().min(0).max(3_600_000)

const Action = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("status"),
    status: z.number().int().min(400).max(599),
    /** As JSON in Cloudflare's envelope, or as the page that its edge shows. */
    body: z.enum(["json", "html"]).default("json"),
    code: z.number().int().default(10_013),
    message: z.string().default("An unknown error has occurred."),
    headers: z.record(z.string(), z.string()).default({}),
    applied,
  }),
  z.strictObject({ type: z.literal("delay"), ms }),
  z.strictObject({ type: z.literal("hang"), applied }),
  z.strictObject({ type: z.literal("reset"), applied }),
  z.strictObject({ type: z.literal("truncate") }),
  z.strictObject({ type: z.literal("malformed") }),
  z.strictObject({ type: z.literal("stale") }),
  z.strictObject({ type: z.literal("partial"), keep: z.number().int().min(0).default(1) }),
  z.strictObject({
    type: z.literal("rate-limit"),
    /** Seconds. */
    retryAfter: z.number().int().min(0).default(300),
  }),
  z.strictObject({
    type: z.literal("kill"),
    /** `storage`, or the script whose versions' processes end. */
    process: z.string().min(1),
    /** How long after the request came; at 0 it meets a process that is dead already. */
    ms: ms.default(0),
  }),
  z.strictObject({ type: z.literal("disk-full") }),
  z.strictObject({ type: z.literal("d1-error"), error: z.enum(d1ErrorTexts), applied }),
  z.strictObject({
    type: z.literal("non-atomic"),
    /** How many statements of the batch stay in the database. */
    keep: z.number().int().min(0).default(1),
    error: z.enum(d1ErrorTexts).default("Network connection lost."),
  }),
])
export type Action = z.infer<typeof Action>

const actionsOf: Record<z.infer<typeof Match>["surface"], string[]> = {
  api: [
    "status",
    "delay",
    "hang",
    "reset",
    "truncate",
    "malformed",
    "stale",
    "partial",
    "rate-limit",
    "kill",
    "disk-full",
  ],
  edge: ["status", "delay", "hang", "reset", "truncate", "kill"],
  d1: ["d1-error", "non-atomic", "delay", "hang", "kill", "disk-full"],
}
const keysOf: Record<z.infer<typeof Match>["surface"], string[]> = {
  api: ["method", "path", "host", "client", "contains"],
  edge: ["method", "path", "host", "client"],
  d1: ["contains", "database"],
}

/** What to spoil, when, and how. */
export const Rule = z
  .strictObject({
    /** Made up where it is missing. */
    name: z.string().min(1).max(100).optional(),
    match: Match,
    when: When,
    action: Action,
  })
  .superRefine(({ match: { surface, ...given }, action }, context) => {
    if (!actionsOf[surface].includes(action.type)) {
      context.addIssue({
        code: "custom",
        path: ["action", "type"],
        message: `"${action.type}" is not to be had on the surface ${surface}; there it is one of ${actionsOf[surface].join(", ")}`,
      })
    }
    for (const [key, value] of Object.entries(given)) {
      if (value === undefined || keysOf[surface].includes(key)) continue
      context.addIssue({
        code: "custom",
        path: ["match", key],
        message: `the surface ${surface} has no ${key}; it is matched by ${keysOf[surface].join(", ")}`,
      })
    }
  })
export type Rule = z.infer<typeof Rule>
