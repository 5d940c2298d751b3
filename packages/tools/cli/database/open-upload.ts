import { openAsBlob } from "node:fs"
import { stat } from "node:fs/promises"

import { Failure } from "../../base/failure.ts"

/**
 * Bytes, from which Node 24 tells the size of a Blob wrongly. D1 imports up to 5 GB and R2 takes 5 GiB at once:
 * https://developers.cloudflare.com/d1/platform/limits/, https://developers.cloudflare.com/r2/platform/limits/
 */
const largest = 2 ** 32 - 1

/** A file as the body of one request. @throws Failure for one that no single request carries */
export async function openUpload(file: string): Promise<Blob> {
  const { size } = await stat(file)
  if (size <= largest) return await openAsBlob(file)
  const message =
    `The file has ${size} bytes, and one upload carries at most ${largest}, so it can be neither stored nor ` +
    "tried. Time Travel still covers 30 days; keep a copy with wrangler d1 export, and see docs/scale.md."
  throw new Failure("COMMAND_FAILED", message)
}
