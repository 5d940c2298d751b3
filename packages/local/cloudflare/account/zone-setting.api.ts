import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError, body, noQuery, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { State } from "../state/state.ts"
import { readZoneSetting, writeZoneSetting } from "./zone-setting.store.ts"
import { requireZone } from "./zone.api.ts"

const SettingChange = z.strictObject({ value: z.enum(["on", "off"]) })
const BotManagementChange = z.strictObject({ fight_mode: z.boolean().optional() })

/** `zones/{zone}/settings/browser_check` and `zones/{zone}/bot_management`. */
export function zoneSettingApi({ state, live }: Pick<Control, "state" | "live">) {
  const app = new Hono()

  app.get("/:zone/settings/:setting", noQuery, (c) => {
    requireKnown(c.req.param("setting"))
    return c.json(success(browserCheck(state, requireZone(c.req.param("zone")).id)))
  })

  app.patch("/:zone/settings/:setting", noQuery, async (c) => {
    requireKnown(c.req.param("setting"))
    const { id } = requireZone(c.req.param("zone"))
    const { value } = await body(c, SettingChange)
    writeZoneSetting(state, { zoneId: id, name: "browser_check", on: value === "on" })
    live.refresh()
    return c.json(success(browserCheck(state, id)))
  })

  app.get("/:zone/bot_management", noQuery, (c) =>
    c.json(success(botManagement(state, requireZone(c.req.param("zone")).id))),
  )

  app.put("/:zone/bot_management", noQuery, async (c) => {
    const { id } = requireZone(c.req.param("zone"))
    const { fight_mode: on } = await body(c, BotManagementChange)
    if (on !== undefined) writeZoneSetting(state, { zoneId: id, name: "fight_mode", on })
    live.refresh()
    return c.json(success(botManagement(state, id)))
  })

  return app
}

/** Code and text as in cloudflare/terraform-provider-cloudflare#1810. */
function requireKnown(setting: string): void {
  if (setting === "browser_check") return
  const message = `Unrecognized zone setting name: ${setting}`
  throw new ApiError(400, code.unknownZoneSetting, `${message}. Here it is browser_check only`)
}

function browserCheck(state: State, zoneId: string) {
  const { on, modifiedOn } = readZoneSetting(state, zoneId, "browser_check")
  return {
    id: "browser_check",
    value: on ? "on" : "off",
    editable: true,
    modified_on: modifiedOn,
  }
}

function botManagement(state: State, zoneId: string) {
  return { fight_mode: readZoneSetting(state, zoneId, "fight_mode").on }
}
