import { markdownTable } from "../../tools/documents/pages.ts"
import { compare } from "../compare.ts"
import { processorTimeOf, workerdsOf } from "../processor-time.ts"
import { publish, startFacts, versionOf } from "../report.ts"
import { openWorkerd } from "../workerd.ts"
import { compareOperations, type Operation } from "./calls.ts"
import { buildScripts } from "./subject.ts"

const packages = ["better-auth", "drizzle-orm", "hono", "@orpc/server"]

type BenchOptions = { rounds: number; only?: Operation[]; write?: boolean }

/** Compares requests to the service with bare handlers and a peer, in one workerd. */
export async function benchApp({ rounds, only, write }: BenchOptions): Promise<void> {
  const factsUntilNow = startFacts()
  await using instance = await openWorkerd(await buildScripts())
  const processorTime = () => processorTimeOf(workerdsOf("self"))
  const comparisons = await compareOperations(instance, { only, processorTime })
  const table = markdownTable(...(await compare(comparisons, rounds, "floor")))
  const used = packages.map((name) => versionOf(name)).join(", ")
  const measured = `${factsUntilNow()}; rounds: ${rounds}; ${used}.\n\n${table}`
  publish({ measured, write })
}
