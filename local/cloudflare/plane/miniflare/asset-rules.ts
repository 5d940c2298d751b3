import * as z from "zod"

export const AssetRules = z.object({
  html_handling: z
    .enum(["auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"])
    .optional(),
  not_found_handling: z.enum(["none", "404-page", "single-page-application"]).optional(),
  base_path: z.string().optional(),
  run_worker_first: z.union([z.boolean(), z.array(z.string())]).optional(),
  /** Contents of the files `_headers` and `_redirects`. */
  _headers: z.string().optional(),
  _redirects: z.string().optional(),
})

export type AssetRules = z.infer<typeof AssetRules>
