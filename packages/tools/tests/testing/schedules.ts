import Cloudflare from "cloudflare"

import type { LocalCloudflare } from "../../cli/process/local-cloudflare.ts"

/** The cron expressions of a Worker, after a change by hand if there is one. */
export async function schedulesOf(
  { api, token, accountId }: LocalCloudflare,
  script: string,
  change?: string[],
): Promise<string[]> {
  const { schedules } = new Cloudflare({ baseURL: api, apiToken: token }).workers.scripts
  const account_id = accountId
  if (change) {
    await schedules.update(script, { account_id, body: change.map((cron) => ({ cron })) })
  }
  return (await schedules.get(script, { account_id })).schedules.map(({ cron }) => cron)
}
