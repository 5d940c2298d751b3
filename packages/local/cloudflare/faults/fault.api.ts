import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError, body, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { Rule } from "./rule.ts"
import { SettingsChange } from "./settings.ts"

const Rules = z
  .strictObject({ rules: z.array(Rule).max(200) })
  .superRefine(({ rules }, context) => {
    const names = rules.flatMap(({ name }) => name ?? [])
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice === undefined) return
    context.addIssue({
      code: "custom",
      path: ["rules"],
      message: `two rules are named ${twice}: names must be unique`,
    })
  })

/** `/local/faults` and `/local/settings`. */
export function faultRoutes({
  faults,
  settings,
  plane,
}: Pick<Control, "faults" | "settings" | "plane">) {
  const app = new Hono()

  app.get("/faults", (c) => c.json(success(faults.list())))

  app.put("/faults", async (c) => {
    faults.replace((await body(c, Rules)).rules)
    await plane.faultsChanged()
    return c.json(success(faults.list()))
  })

  app.post("/faults", async (c) => {
    const rule = await body(c, Rule)
    if (faults.list().some(({ name }) => name === rule.name)) {
      const message = `A rule named ${rule.name} already exists; remove it with DELETE /local/faults/${rule.name}`
      throw new ApiError(400, code.badRequest, message)
    }
    faults.add(rule)
    await plane.faultsChanged()
    return c.json(success(faults.list().at(-1)))
  })

  app.delete("/faults", async (c) => {
    faults.remove()
    await plane.faultsChanged()
    return c.json(success(null))
  })

  app.delete("/faults/:name", async (c) => {
    const name = c.req.param("name")
    if (!faults.remove(name)) {
      const names = faults.list().map((rule) => rule.name)
      const message = `No rule is named ${name}; the rules are: ${names.join(", ") || "none"}`
      throw new ApiError(404, code.noObject, message)
    }
    await plane.faultsChanged()
    return c.json(success(null))
  })

  app.get("/settings", (c) => c.json(success(settings.read())))

  app.put("/settings", async (c) => {
    settings.change(await body(c, SettingsChange))
    return c.json(success(settings.read()))
  })

  return app
}
