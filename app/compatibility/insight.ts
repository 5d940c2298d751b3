import * as z from "zod"

import { WellFormed } from "../service/rpc/well-formed.ts"

/** Increment when the shape of the stored JSON changes. */
export const schemaVersion = 1

function liteOf(text: z.ZodString) {
  return z.strictObject({
    score: z.int().min(0).max(100),
    summary: text.min(1).max(2000),
    traits: z
      .array(z.strictObject({ name: text.min(1).max(80), score: z.int().min(0).max(100) }))
      .max(20),
  })
}

function deepOf(text: z.ZodString) {
  return z.strictObject({
    sections: z
      .array(z.strictObject({ title: text.min(1).max(120), body: text.min(1).max(4000) }))
      .min(1)
      .max(12),
  })
}

/** The free part of a result, computed by the client. */
export const LiteResult = liteOf(z.string())
export const NewLiteResult = liteOf(WellFormed)

/** The paid part, computed and stored together with the free one. */
export const DeepInsights = deepOf(z.string())
export const NewDeepInsights = deepOf(WellFormed)
