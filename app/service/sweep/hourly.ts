import { servicesOf } from "../../services.ts"
import { resealFactors } from "../auth/factor/reseal.ts"
import type { Env } from "../configuration/env.ts"
import { boundDatabase } from "../database/bounded-database.ts"
import { deleteScheduled } from "./scheduled-deletion.ts"
import { sweep } from "./sweep.ts"

/** What each hour brings. Expired rows go also where the service is misconfigured. */
export async function doHourly(env: Env, now: Date) {
  await sweep(boundDatabase(env.DB), now)
  const services = servicesOf(env)
  if (services === null) return
  await deleteScheduled(services, now)
  await resealFactors(services)
  await services.letters.retry(now)
}
