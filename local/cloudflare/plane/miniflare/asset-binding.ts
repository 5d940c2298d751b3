import * as z from "zod"

import type { Assets } from "../plane.ts"

/** The binding of a Worker's static assets; `bound` says whether its code can read them too. */
export const StaticAssets = z.strictObject({
  type: z.literal("unsafe:static-assets"),
  dev: z.strictObject({
    plugin: z.strictObject({ package: z.string(), name: z.literal("static-assets") }),
    options: z.custom<Assets & { hasWorker: boolean; bound: boolean }>(),
  }),
})
export type StaticAssets = z.infer<typeof StaticAssets>

/** Name of the service in front of such a Worker: it responds with an asset or calls the Worker. */
export const assetRouter = "static assets"

export function staticAssets(
  assets: Assets,
  { hasWorker, bound }: { hasWorker: boolean; bound: boolean },
): StaticAssets {
  return {
    type: "unsafe:static-assets",
    dev: {
      plugin: { package: `${import.meta.dirname}/miniflare-plugin.ts`, name: "static-assets" },
      options: { ...assets, hasWorker, bound },
    },
  }
}
