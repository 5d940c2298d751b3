import { root } from "../../base/root.ts"
import { markdownTable } from "../../infra/markdown-table.ts"
import { compare } from "../compare.ts"
import { processorTimeOf, workerdsOf } from "../processor-time.ts"
import { publish, startFacts, versionOf } from "../report.ts"
import { openWorkerd } from "../workerd.ts"
import { compareOperations, type Operation } from "./calls.ts"
import { buildScripts } from "./subject.ts"

const ownPackages = ["better-auth", "drizzle-orm", "hono", "@orpc/server"]
const peerPackages = ["better-auth", "better-auth-cloudflare", "drizzle-orm", "hono"]

type BenchOptions = { rounds: number; only?: Operation[]; write?: boolean }

/** Compares requests to the service with bare handlers and peers, in one workerd. */
export async function benchApp({ rounds, only, write }: BenchOptions): Promise<void> {
  const factsUntilNow = startFacts()
  const { scripts, peers } = await buildScripts()
  await using instance = await openWorkerd(scripts)
  const processorTime = () => processorTimeOf(workerdsOf("self"))
  const comparisons = await compareOperations(instance, { only, processorTime })
  const table = markdownTable(...(await compare(comparisons, rounds, "floor")))
  const own = ownPackages.map((name) => versionOf(root, name)).join(", ")
  const others = peerPackages.map((name) => versionOf(peers, name)).join(", ")
  const facts = `${factsUntilNow()}; rounds: ${rounds}.`
  const measured = `${facts}\nAccounts with ${own}; its peers with ${others}.\n\n${table}`
  publish({ measured, write })
}
