import * as z from "zod"

/** Increment when the shape of the stored JSON changes. */
export const schemaVersion = 1

/** The free part of a result, computed by the client. */
export const LiteResult = z.strictObject({
  score: z.int().min(0).max(100),
  summary: z.string().min(1).max(2000),
  traits: z
    .array(z.strictObject({ name: z.string().min(1).max(80), score: z.int().min(0).max(100) }))
    .max(20),
})

/** The paid part, computed and stored together with the free one. */
export const DeepInsights = z.strictObject({
  sections: z
    .array(z.strictObject({ title: z.string().min(1).max(120), body: z.string().min(1).max(4000) }))
    .min(1)
    .max(12),
})
