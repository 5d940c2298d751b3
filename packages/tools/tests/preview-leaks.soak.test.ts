import { seededRandom } from "@accounts-stack/local/seeded-random"
import { expect, test } from "vitest"

import { planDown } from "../cli/branch/down.ts"
import { mergePreviews, planSweep, sweep } from "../cli/branch/orphaned-previews.ts"
import type { PreviewResources } from "../cli/branch/preview-resources.ts"
import { previewStackOf } from "../cli/branch/preview-stack.ts"

const seeds = process.env["SOAK_BUDGET"] === "full" ? 100 : 5
const first = Number(process.env["SOAK_SEED"] ?? 1)
const days = 30
const branchCount = 200
const hour = 60 * 60 * 1000

type Stage = "stack" | "database" | "Worker" | "done"
const stages: Stage[] = ["stack", "database", "Worker", "done"]

/** Models the account and the backend without the engine: only its effects on them. */
function createModel(seed: number) {
  const chance = seededRandom(seed)
  let now = Date.parse("2026-03-01T00:00:00Z")
  const remote = new Set(["main"])
  const backend = new Map<string, string>()
  const account = new Map<string, PreviewResources>()
  const foreign = new Map<string, PreviewResources>()
  /** Stacks that a sweep should not have touched. */
  const wrong: string[] = []
  const counts: Record<string, number> = {}
  const happens = (event: string, share: number) => {
    const is = chance() < share
    if (is) counts[event] = (counts[event] ?? 0) + 1
    return is
  }
  const pick = <One>(list: One[]): One | undefined => list[Math.floor(chance() * list.length)]
  const time = () => new Date(now).toISOString()
  /** A run that crashes leaves what it had done. */
  const stage = () => (happens("crash", 0.05) ? (pick(stages) ?? "done") : "done")

  function up(branch: string): void {
    const stack = previewStackOf(branch)
    const resources = account.get(stack)
    // Creations are refused: what no stack knows has the names.
    if (!backend.has(stack) && resources) return
    const reached = stages.indexOf(stage())
    backend.set(stack, time())
    const name = `accounts-${stack}`
    const created: PreviewResources = { ...resources }
    if (reached >= 1) created.database ??= { uuid: stack, name, created_at: time() }
    if (reached >= 2) {
      const tags = ["environment=preview"]
      created.worker = {
        id: stack,
        name,
        tags,
        created_on: created.worker?.created_on,
        deployed_on: time(),
      }
    }
    if (Object.keys(created).length > 0) account.set(stack, created)
  }

  async function tearDown(stack: string): Promise<void> {
    if (foreign.has(stack)) throw new Error(`${stack} is unmanaged`)
    // As its lock.
    if (!backend.has(stack)) backend.set(stack, time())
    const reached = stages.indexOf(stage())
    const { database } = account.get(stack) ?? {}
    if (reached === 0) throw new Error("crashed")
    if (reached === 1 && database) account.set(stack, { database })
    else account.delete(stack)
    if (reached <= 2) throw new Error("crashed")
    backend.delete(stack)
  }

  /** Asked for by a name, whether or not that is of a preview. */
  async function down(name: string): Promise<void> {
    const stacks = async () => stackList()
    const plan = await planDown(name, { doubt, stacks, resources: async () => heldByAll() })
    if (plan.stack !== previewStackOf(name) || foreign.has(plan.stack)) wrong.push(plan.stack)
    if (!plan.stored && plan.lost === undefined) {
      if (account.has(plan.stack)) wrong.push(plan.stack)
      return
    }
    happens(plan.stored ? "down by its stack" : "down by the account", 1)
    await tearDown(plan.stack)
    if (account.has(plan.stack) || backend.has(plan.stack)) wrong.push(plan.stack)
  }

  const stackList = () => Array.from(backend, ([name, lastUpdate]) => ({ name, lastUpdate }))
  const heldByAll = () => new Map([...account, ...foreign])
  const doubt = async ({ worker }: PreviewResources) =>
    worker?.tags.length === 0 ? "it has no tag" : undefined

  async function change(): Promise<void> {
    const branch = pick([...remote].filter((name) => name !== "main")) ?? "main"
    const event = chance()
    if (event < 0.3) {
      const opened = `branch-${Math.floor(chance() * branchCount)}`
      if (happens("deployed before its push", 0.1)) up(opened)
      remote.add(opened)
      up(opened)
    } else if (event < 0.6) up(branch)
    else if (event < 0.85 && branch !== "main") {
      remote.delete(branch)
      if (happens("missed hook", 0.2) || happens("error of the API", 0.05)) return
      await down(branch).catch(() => {})
    } else if (event < 0.92) {
      const lost = pick([...backend.keys()])
      if (lost !== undefined && happens("lost state", 1)) backend.delete(lost)
    } else if (event < 0.95) {
      const stack = pick([...account.keys()])
      if (stack !== undefined && happens("Worker deleted by hand", 1)) {
        const { database } = account.get(stack) ?? {}
        if (database) account.set(stack, { database })
      }
    } else {
      const stack = `preview-theirs-${Math.floor(chance() * 9)}`
      const worker = { id: stack, name: `accounts-${stack}`, tags: [], created_on: time() }
      foreign.set(stack, { worker })
      const failure = await down(stack).catch(String)
      if (!failure?.includes("may belong to someone else")) wrong.push(stack)
    }
  }

  let isCalm = false
  const world = {
    branches: () => {
      if (!isCalm && happens("remote that does not answer", 0.02)) throw new Error("no answer")
      return [...remote]
    },
    previews: async () => {
      if (!isCalm && happens("error of the API", 0.02)) throw new Error("500")
      if (!isCalm && happens("reopened during a sweep", 0.1)) {
        const reopened = [...backend.keys(), ...account.keys()].map((stack) =>
          stack.replace(/^preview-/, ""),
        )
        const branch = pick(reopened.filter((name) => !remote.has(name))) ?? "main"
        remote.add(branch)
        up(branch)
      }
      return mergePreviews(stackList(), heldByAll())
    },
    doubt,
    tearDown: async (stack: string) => {
      const { deployed_on = "", created_on = "" } = account.get(stack)?.worker ?? {}
      const latest = [deployed_on ?? "", created_on, backend.get(stack) ?? ""].toSorted().at(-1)
      const isYoung = now - Date.parse(latest || "2020-01-01") < 24 * hour
      const isLiving = Array.from(remote, previewStackOf).includes(stack)
      // A sweep goes on after an error.
      if (isYoung || isLiving || foreign.has(stack)) wrong.push(stack)
      await tearDown(stack)
    },
  }

  async function sweepOnce() {
    const at = new Date(now)
    const { orphaned } = await planSweep(world, { days: 1, now: at })
    const stacks = orphaned.map(({ stack }) => stack)
    return await sweep(world, { stacks, days: 1, now: at, say: () => {} })
  }

  return {
    remote,
    backend,
    account,
    foreign,
    counts,
    wrong,
    change,
    up,
    sweepOnce,
    down,
    pass: (hours: number) => (now += hours * hour),
    calm: () => (isCalm = true),
  }
}

test(`${seeds} months of 200 branches end with exactly what is wanted (seed ${first})`, async () => {
  const counts: Record<string, number> = {}
  for (let seed = first; seed < first + seeds; seed += 1) {
    const model = createModel(seed)
    for (let day = 0; day < days; day += 1) {
      for (let event = 0; event < 48; event += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one event after another
        await model.change()
        model.pass(0.5)
      }
      await model.sweepOnce().catch(() => {})
    }
    expect({ seed, wrong: model.wrong }).toEqual({ seed, wrong: [] })
    model.calm()
    // A crash of a sweep is seen to by the next.
    for (let night = 0; night < 20; night += 1) {
      model.pass(25)
      const { deleted, failed } = await model.sweepOnce()
      if (deleted.length + failed.length === 0) break
    }
    const expectedStacks = new Set(Array.from(model.remote, previewStackOf))
    for (const stack of [...model.account.keys(), ...model.backend.keys()]) {
      expect({ seed, stack, wanted: expectedStacks.has(stack) }).toEqual({
        seed,
        stack,
        wanted: true,
      })
    }
    // The next push of each; what no stack knows goes first, by `branch down`.
    for (const branch of model.remote) {
      const stack = previewStackOf(branch)
      while (model.account.has(stack) && !model.backend.has(stack)) {
        await model.down(branch).catch(() => {})
      }
      while (model.account.get(stack)?.worker === undefined) model.up(branch)
    }
    expect(new Set(model.account.keys())).toEqual(expectedStacks)
    expect(new Set(model.backend.keys())).toEqual(expectedStacks)
    expect(model.foreign.size).toBeGreaterThan(0)
    for (const [event, count] of Object.entries(model.counts)) {
      counts[event] = (counts[event] ?? 0) + count
    }
  }
  expect(Object.keys(counts).toSorted()).toEqual([
    "Worker deleted by hand",
    "crash",
    "deployed before its push",
    "down by its stack",
    "down by the account",
    "error of the API",
    "lost state",
    "missed hook",
    "remote that does not answer",
    "reopened during a sweep",
  ])
})
