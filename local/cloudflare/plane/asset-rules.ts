import * as z from "zod"

/** How paths lead to assets, in Cloudflare's JSON. */
export const AssetRules = z.object({
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

export type AssetRules = z.infer<typeof AssetRules>
