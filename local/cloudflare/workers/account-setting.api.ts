import { Hono } from "hono"
import * as z from "zod"

import { readAccountSetting, writeAccountSetting } from "../account/account-setting.store.ts"
import type { Control } from "../control.ts"
import { body, noQuery, success } from "../protocol/envelope.ts"

const Change = z.strictObject({
  default_usage_model: z.enum(["standard", "bundled", "unbound"]).optional(),
  green_compute: z.boolean().optional(),
})

/** `accounts/{account}/workers/account-settings`, as the SDK types it: stored, and without an effect. */
export function accountSettings({ state }: Control) {
  const app = new Hono()
  const view = () => ({
    default_usage_model: readAccountSetting(state, "default_usage_model"),
    green_compute: readAccountSetting(state, "green_compute") === "true",
  })

  app.get("/", noQuery, (c) => c.json(success(view())))

  app.put("/", noQuery, async (c) => {
    const { default_usage_model, green_compute } = await body(c, Change)
    state.transaction(() => {
      if (default_usage_model !== undefined) {
        writeAccountSetting(state, "default_usage_model", default_usage_model)
      }
      if (green_compute !== undefined) {
        writeAccountSetting(state, "green_compute", String(green_compute))
      }
    })
    return c.json(success(view()))
  })

  return app
}
