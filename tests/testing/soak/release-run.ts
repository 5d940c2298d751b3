import { seededRandom } from "@accounts/local/seeded-random"

import type { Behaviour, openAccount } from "../../../provider/testing/account.ts"
import type { Fault, FaultProxy } from "../../../provider/testing/fault-proxy.ts"
import type { LocalCloudflare } from "../../../provider/testing/local-cloudflare.ts"
import type { ProviderHere } from "../../../provider/testing/provider-here.ts"
import { openSecondClient } from "../../../provider/testing/second-client.ts"
import { setUpWorker, trialTimeout } from "../../../provider/testing/worker-under-test.ts"
import { passOf, type ZoneMode } from "./zone-modes.ts"

type Parts = {
  cloudflare: LocalCloudflare
  account: ReturnType<typeof openAccount>
  provider: ProviderHere
  proxy: FaultProxy
}

type Subject = Awaited<ReturnType<typeof setUpSubject>>

/** Everything that is drawn for one release. */
type Plan = { number: number; mode: ZoneMode }

export type ReleaseOutcome = Awaited<ReturnType<Subject["run"]>>

/** Of the versions that are released. */
const behaviours: Behaviour[] = ["well", "sick", "well", "sick at 100 %", "well"]
const faults = ["drop after", "500 after", "drop before", "500 before"] as const

/** A Worker at a host of its own, which serves one release after the other. */
export async function setUpSubject(parts: Parts, place: number) {
  const { cloudflare, account, provider, proxy } = parts
  const behaviour = behaviours[place % behaviours.length] ?? "well"
  const worker = await setUpWorker({ cloudflare, account, provider, workersDev: false }, "well")
  // Cloudflare edits the secrets of the newest version alone, whichever that is.
  const [second = "", third = ""] =
    place % 2 === 0
      ? [await worker.upload(behaviour), await worker.upload("well")]
      : (await Promise.all([worker.upload("well"), worker.upload(behaviour)])).toReversed()
  const host = `${worker.scriptName}.accounts.test`
  const url = `http://${host}`
  const { id, outputs } = await provider.create("Release", worker.inputs(worker.first, { url }))
  await account.attachDomain(worker.scriptName, host)
  const others = openSecondClient(account, { ...worker, third })

  /** Releases the second version over the first, beside what the number draws. */
  async function run({ number, mode }: Plan) {
    const random = seededRandom(number)
    const pick = <T>(choices: [T, ...T[]]): T =>
      choices[Math.floor(random() * choices.length)] ?? choices[0]
    const pass = pick([true, false]) ? passOf(mode) : undefined
    const guarded = ["Bot Fight Mode", "Access", "WAF rule"].includes(mode) && pass === undefined
    const actions = Array.from({ length: pick([0, 1, 1, 2, 3]) }, () => ({
      moment: 1 + Math.floor(random() * 13),
      act: pick([others.deploy, others.rollBack, others.split, others.editSecret]),
    }))
    const fault = pick<Fault | undefined>([undefined, undefined, pick([...faults])])
    const calm = behaviour === "well" && !guarded && actions.length === 0

    const foreign: { moment: number; id: string }[] = []
    let moment = 0
    const first = async () => {
      moment += 1
      const now = moment
      for (const { act } of actions.filter((action) => action.moment === now)) {
        await act()
        const [made] = await worker.deployments()
        foreign.push({ moment: now, id: made?.id ?? "" })
      }
    }
    const path = new RegExp(`/scripts/${worker.scriptName}/`)
    using _rules = proxy.injectAll([
      { method: "GET", path, first, times: 10_000 },
      { method: "POST", path, first, times: Math.floor(random() * 3) },
      { method: "POST", path, first, ...(fault && { fault }) },
      { method: "POST", path, first, times: 10_000 },
    ])

    const before = await worker.deployments()
    const oldInputs = worker.inputs(worker.first, { url })
    const inputs = {
      ...worker.inputs(second, { url }),
      ...(pass && { trialHeaders: pass }),
    }
    const olds = { ...outputs, deploymentId: before[0]?.id ?? "" }
    const change = { id, olds, oldInputs, inputs }
    const ended = await provider
      .update("Release", change, { timeout: calm ? 60 : trialTimeout })
      .then(
        () => "released",
        (error: unknown) => String(error),
      )
    const deployments = await worker.deployments()
    return { number, mode, behaviour, guarded, calm, second, before, foreign, deployments, ended }
  }

  return {
    host,
    /** Makes the first version serve alone again. */
    reset: () =>
      account.deploy(worker.scriptName, { [worker.first]: 100 }, "reset", { force: true }),
    run,
  }
}
