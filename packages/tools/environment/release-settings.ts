import * as z from "zod"

export const ReleaseSteps = z
  .array(z.number().min(0.01).max(100))
  .refine(
    (steps) => steps.at(-1) === 100 && steps.every((step, index) => step > (steps[index - 1] ?? 0)),
    "must be rising percentages, the last of them 100",
  )

export const ReleaseLimits = z
  .strictObject({
    requests: z.int().min(0).default(100).meta({
      description:
        "Requests of each of the two versions in the logs, below which a step is not judged, which ends the release; with 0 that is only said",
    }),
    failures: z.number().min(0).max(100).optional().meta({
      description:
        "Percentage points of its requests that may fail beyond those of the other: answers of 5xx, exceptions, exceeded limits",
    }),
    cpu: z.number().min(0).optional().meta({
      description: "Percent of processor time for a request that it may take beyond the other",
    }),
  })
  .refine(
    ({ failures, cpu }) => failures !== undefined || cpu !== undefined,
    "must limit failures or cpu",
  )
export type ReleaseLimits = z.infer<typeof ReleaseLimits>
