import * as z from "zod"

import type { Assets } from "./plane.ts"

const Rules = z.object({
  html_handling: z
    .enum(["auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"])
    .optional(),
  not_found_handling: z.enum(["none", "404-page", "single-page-application"]).optional(),
  base_path: z.string().optional(),
  run_worker_first: z.union([z.boolean(), z.array(z.string())]).optional(),
  /** The content of files of these names. */
  _headers: z.string().optional(),
  _redirects: z.string().optional(),
})

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
      rules: Rules,
      hasWorker: z.boolean(),
      bound: z.boolean(),
    }),
  }),
})
export type StaticAssets = z.infer<typeof StaticAssets>
export type AssetRules = z.infer<typeof Rules>

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
