import * as z from "zod"

export const ReleaseSteps = z
  .array(z.number().min(0.01).max(100))
  .refine(
    (steps) => steps.at(-1) === 100 && steps.every((step, index) => step > (steps[index - 1] ?? 0)),
    "must be rising percentages, the last of them 100",
  )
