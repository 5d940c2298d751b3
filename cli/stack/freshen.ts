import { createApi } from "../../provider/api.ts"
import { emptyDatabase, refuseFresh } from "../database/fresh.ts"
import { paint, say } from "../output.ts"
import { joinOrStart } from "../process/local-cloudflare.ts"
import { readSite, type StackOptions } from "./deployed-stack.ts"

/**
 * `--fresh`: empties the database of `local` or of a preview, so that the deployment makes it again.
 * To be done within that deployment, while nobody else can deploy.
 * @throws Failure USAGE in a permanent environment
 */
export async function freshen(options: StackOptions): Promise<void> {
  const { stack } = options
  const site = { ...readSite(options), stack }
  refuseFresh(site)
  if (stack !== "local" && !options.local) {
    const token = process.env["CLOUDFLARE_API_TOKEN"] ?? ""
    return sayEmptied(await emptyDatabase({ ...site, api: createApi({ ...site, token }) }), stack)
  }
  const cloudflare = await joinOrStart(options)
  try {
    const { api: baseUrl, token, accountId } = cloudflare
    const api = createApi({ baseUrl, token })
    sayEmptied(await emptyDatabase({ ...site, accountId, api }), stack)
  } finally {
    await cloudflare.stop()
  }
}

function sayEmptied(wayBack: string | undefined, stack: string): void {
  if (wayBack === undefined) return say(`  The database of ${stack} is empty already.`)
  say(`${paint.green("✓")} emptied the database of ${stack}; to bring its rows back: ${wayBack}`)
}
