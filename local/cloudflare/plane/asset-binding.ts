import * as z from "zod"

import { AssetRules } from "./asset-rules.ts"
import type { Assets } from "./plane.ts"

/** Of a Worker with static assets; `bound` says whether its code gets to see them as well. */
export const StaticAssets = z.strictObject({
  type: z.literal("unsafe:static-assets"),
  dev: z.strictObject({
    plugin: z.strictObject({ package: z.string(), name: z.literal("static-assets") }),
    options: z.strictObject({
      directory: z.string(),
      files: z.array(
        z.strictObject({
          path: z.string(),
          hash: z.string(),
          content: z.string(),
          contentType: z.string().nullable(),
        }),
      ),
      rules: AssetRules,
      hasWorker: z.boolean(),
      bound: z.boolean(),
    }),
  }),
})
export type StaticAssets = z.infer<typeof StaticAssets>

/** The service in front of such a Worker, which answers with an asset or asks the Worker. */
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
