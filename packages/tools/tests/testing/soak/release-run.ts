import { seededRandom } from "@accounts-stack/local/seeded-random"

import type { Behaviour, openAccount } from "../../../deploy/testing/account.ts"
import type { Fault, FaultProxy } from "../../../deploy/testing/fault-proxy.ts"
import type { LocalCloudflare } from "../../../deploy/testing/local-cloudflare.ts"
import type { ProviderHere } from "../../../deploy/testing/provider-here.ts"
import { startProvider } from "../../../deploy/testing/provider-process.ts"
import { openSecondClient } from "../../../deploy/testing/second-client.ts"
import { setUpWorker, trialTimeout } from "../../../deploy/testing/worker-under-test.ts"
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

/** Behaviours of the versions that are released. */
const behaviours: Behaviour[] = ["well", "sick", "well", "sick at 100 %", "well"]
const faults = ["drop after", "500 after", "drop before", "500 before"] as const

/** A Worker at a host of its own, which serves one release after the other. */
export async function setUpSubject(parts: Parts, place: number) {
  const { cloudflare, account, provider, proxy } = parts
  const behaviour = behaviours[place % behaviours.length] ?? "well"
  const worker = await setUpWorker({ cloudflare, account, provider, workersDev: false }, "well")
  const { first } = worker
  const canary = await worker.upload(place % 3 === 0 ? "sick" : "well")
  // Cloudflare edits the secrets of the newest version alone, whichever that is.
  const [second = "", third = ""] =
    place % 2 === 0
      ? [await worker.upload(behaviour), await worker.upload("well")]
      : (await Promise.all([worker.upload("well"), worker.upload(behaviour)])).toReversed()
  const host = `${worker.scriptName}.accounts.test`
  const url = `http://${host}`
  const recorded = await provider.create("Release", worker.inputs(first, { url }))
  await account.attachDomain(worker.scriptName, host)
  const secondClient = openSecondClient(account, { ...worker, third })
  let drawn = seededRandom(0)
  const pick = <T>(choices: [T, ...T[]]): T =>
    choices[Math.floor(drawn() * choices.length)] ?? choices[0]

  /** Makes a drawn start live, if it is not what the run before has left. */
  async function begin({ number }: Plan): Promise<void> {
    drawn = seededRandom(number)
    const shares = pick<Record<string, number> | undefined>([
      { [first]: 100 },
      { [first]: 100 },
      { [first]: 90, [canary]: 10 },
      { [first]: 50, [canary]: 50 },
      { [first]: 10, [canary]: 90 },
      { [first]: 70, [second]: 30 },
      { [first]: 100, [second]: 0 },
      { [first]: 100, [canary]: 0 },
      { [second]: 100 },
      undefined,
    ])
    if (shares === undefined) return
    await account.deploy(worker.scriptName, shares, "start", { force: true })
  }

  /** Releases the second version, or the one that has served first, beside what the number draws. */
  async function run({ number, mode }: Plan) {
    const released = pick([second, second, second, first])
    const how = released === second ? behaviour : "well"
    const steps = pick([[100], [100], [10, 100], [10, 50, 100]])
    const pass = pick([true, false]) ? passOf(mode) : undefined
    const guarded = ["Bot Fight Mode", "Access", "WAF rule"].includes(mode) && pass === undefined
    const actions = Array.from({ length: pick([0, 1, 1, 2, 3]) }, () => ({
      moment: 1 + Math.floor(drawn() * 13),
      act: pick([
        secondClient.deploy,
        secondClient.rollBack,
        secondClient.split,
        secondClient.editSecret,
      ]),
    }))
    const fault = pick<Fault | undefined>([undefined, undefined, pick([...faults])])
    const faulty = Math.floor(drawn() * 3)
    const killAt = pick([0, 0, 1]) * (1 + Math.floor(drawn() * 20))
    const calm = how === "well" && !guarded && actions.length === 0 && killAt === 0

    const before = await worker.deployments()
    const oldInputs = worker.inputs(first, { url })
    const fresh = await provider.read("Release", { ...recorded, inputs: oldInputs })
    const inputs = {
      ...worker.inputs(released, { url, steps }),
      ...(pass && { trialHeaders: pass }),
    }
    const { id, outputs: olds } = fresh ?? recorded

    await using process = await processFor(killAt > 0)
    const foreign: { moment: number; id: string }[] = []
    let moment = 0
    let killed = false
    const next = async () => {
      moment += 1
      const now = moment
      for (const { act } of actions.filter((action) => action.moment === now)) {
        await act()
        const [deployment] = await worker.deployments()
        foreign.push({ moment: now, id: deployment?.id ?? "" })
      }
      if (now !== killAt) return
      killed = true
      // The request in flight still takes effect.
      await process.kill()
    }
    const path = new RegExp(`/scripts/${worker.scriptName}/`)
    using _rules = proxy.injectAll([
      { method: "GET", path, first: next, times: 10_000 },
      { method: "POST", path, first: next, times: faulty },
      { method: "POST", path, first: next, ...(fault && { fault }) },
      { method: "POST", path, first: next, times: 10_000 },
    ])

    const change = { id, olds, oldInputs, inputs }
    const outcome = await process.provider
      .update("Release", change, { timeout: calm ? 60 : trialTimeout })
      .then(
        () => "released",
        (error: unknown) => (killed ? "killed" : String(error)),
      )
    // Requests that were under way at a kill still arrive.
    if (killed) await proxy.idle(path)
    const deployments = await worker.deployments()
    const drawnFor = { number, mode, behaviour: how, guarded, calm, killed, released, steps }
    return { ...drawnFor, before, foreign, deployments, ended: outcome }
  }

  /** Starts another provider process for a run that is killed. */
  async function processFor(kill: boolean) {
    if (!kill) return { provider, kill: async () => {}, [Symbol.asyncDispose]: async () => {} }
    const startedProcess = await startProvider({ baseUrl: proxy.url, token: cloudflare.token })
    return {
      provider: startedProcess,
      kill: () => startedProcess.kill(),
      [Symbol.asyncDispose]: startedProcess[Symbol.asyncDispose],
    }
  }

  return { host, begin, run }
}
