import * as z from "zod"

import { type Api, undefinedIfNotFound } from "./api.ts"
import { type Resource, readDeclaredOnly } from "./resource.ts"

const Inputs = z.strictObject({
  accountId: z.string().min(1),
  scriptName: z.string().min(1),
  crons: z.array(z.string()),
})
export type Inputs = z.infer<typeof Inputs>

const Schedules = z.object({ schedules: z.array(z.object({ cron: z.string() })) })

/**
 * The times at which a Worker runs without a request. Pulumi's Cloudflare provider has such a resource, but
 * never reads the crons back (`no_refresh` in terraform-provider-cloudflare 5.22.0,
 * workers_cron_trigger/model.go:17), so that it would not report crons that were changed elsewhere.
 */
export const cronTriggers: Resource = {
  inputs: Inputs,
  refreshBeforeUpdate: true,
  diff({ olds, inputs }) {
    const [from, to] = [Inputs.parse(olds), Inputs.parse(inputs)]
    return {
      ...(from.accountId !== to.accountId && { accountId: "update" }),
      ...(from.scriptName !== to.scriptName && { scriptName: "update" }),
      ...(!sameCrons(from, to) && { crons: "update" }),
    }
  },
  preview: async ({ inputs }) => inputs,
  async create({ inputs }, { api }) {
    const parsed = Inputs.parse(inputs)
    await replace(parsed, api())
    return { id: parsed.scriptName, outputs: parsed }
  },
  async update({ inputs }, { api }) {
    const parsed = Inputs.parse(inputs)
    await replace(parsed, api())
    return parsed
  },
  async read(state, { api }) {
    const { id, inputs, outputs } = readDeclaredOnly(state)
    const recorded = Inputs.parse(outputs)
    const answer = await undefinedIfNotFound(api().get(pathOf(recorded), Schedules))
    if (!answer) return undefined
    const crons = answer.schedules.map(({ cron }) => cron)
    if (sameCrons(recorded, { crons })) return state
    return { id, inputs: { ...inputs, crons }, outputs: { ...recorded, crons } }
  },
}

/** Ignores the order, which Cloudflare does not keep. */
function sameCrons(a: Pick<Inputs, "crons">, b: Pick<Inputs, "crons">): boolean {
  const [left, right] = [a, b].map(({ crons }) => [...new Set(crons)].toSorted().join("\n"))
  return left === right
}

async function replace(inputs: Inputs, api: Api): Promise<void> {
  const schedules = inputs.crons.map((cron) => ({ cron }))
  await api.put(pathOf(inputs), schedules, Schedules)
}

function pathOf({ accountId, scriptName }: Inputs): string {
  const [account, script] = [accountId, scriptName].map(encodeURIComponent)
  return `/accounts/${account}/workers/scripts/${script}/schedules`
}
