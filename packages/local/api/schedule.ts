import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "./control.ts"
import { checkCron, countSchedules, listSchedules, replaceSchedules } from "./crons.ts"
import { ApiError, body, code, noQuery, success } from "./envelope.ts"
import { requireWorker, withWorkerLock } from "./worker.ts"

const Schedules = z.array(
  z.strictObject({
    cron: z.string(),
    created_on: z.string().optional(),
    modified_on: z.string().optional(),
  }),
)

/** Limits of one account, as Cloudflare documents them. */
const cronLimit = { free: 5, paid: 250 }

/** `…/workers/scripts/{script}/schedules`: put replaces the whole set; a repeat changes nothing. */
export function schedules(control: Control) {
  const { state, crons, settings } = control
  const app = new Hono()

  app.get("/:script/schedules", noQuery, (c) =>
    c.json(success({ schedules: view(requireWorker(state, c.req.param("script")).id) })),
  )

  app.put("/:script/schedules", noQuery, async (c) => {
    const cronExpressions = (await body(c, Schedules)).map(({ cron }) => cron)
    for (const cron of cronExpressions) checkCron(cron)
    const result = await withWorkerLock(control, c.req.param("script"), async ({ id }) => {
      state.transaction(() => {
        const { plan } = settings.read()
        if (new Set(cronExpressions).size + countSchedules(state, id) > cronLimit[plan]) {
          const message = `An account on the ${plan} plan can have ${cronLimit[plan]} cron triggers`
          throw new ApiError(400, code.manyCrons, message)
        }
        replaceSchedules(state, id, cronExpressions)
      })
      crons.refresh()
      return view(id)
    })
    return c.json(success({ schedules: result }))
  })

  function view(workerId: string) {
    return listSchedules(state, workerId).map(({ worker_id: _worker, ...schedule }) => schedule)
  }

  return app
}
