import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import { parseJson } from "../../provider/parse-json.ts"
import { buildBase } from "./base-bundle.ts"
import type { BaseCommit } from "./base-commit.ts"
import { type BaseWorker, deployBase } from "./base-worker.ts"
import { createMember, schemaStatus, waitUntilServed } from "./journey.ts"
import { openMailbox } from "./mailbox.ts"
import type { ScratchAccount } from "./scratch-account.ts"

/** Whether the version that serves today keeps working when the files are applied. */
export type WorkerVerdict =
  | {
      outcome: "works"
      /** What it says of the schema: a version that is `ahead` is refused when it is released again. */
      schema: string
    }
  | { outcome: "broken" | "unknown" | "not tried"; reason: string }

type Trial = AsyncDisposable & { after(applied: boolean): Promise<WorkerVerdict> }

type Options = {
  /** Of the repository. */
  root: string
  base: BaseCommit
  /** Whether to try it at all. */
  journey: boolean
  say: (line: string) => void
  account: ScratchAccount
  databaseId: string
  signal: AbortSignal
}

/** A member joins on the base's schema; `after` goes on with them, and lets another one join. */
export async function tryBase(options: Options): Promise<Trial> {
  const { root, base, journey, say, account, databaseId, signal } = options
  if (!journey) return withoutTrial({ outcome: "not tried", reason: "--no-journey" })
  if (base.migrations.length === 0) {
    return withoutTrial({ outcome: "not tried", reason: "the base has no schema" })
  }
  await using opened = new AsyncDisposableStack()
  const mailbox = opened.use(await openMailbox())
  let worker: BaseWorker
  try {
    const bundle = await buildBase(root, base, signal)
    worker = await deployBase({ account, bundle, databaseId, mailbox })
    await waitUntilServed(worker)
  } catch (error) {
    const reason = `the base's Worker cannot be run: ${messageOf(error)}`
    return withoutTrial({ outcome: "unknown", reason })
  }
  const ada = createMember({ worker, mailbox }, "Ada")
  const failure = await failureOf(() => ada.join())
  if (failure !== undefined) {
    const reason = `the journey fails before the files, too, so it says nothing: ${failure}`
    return withoutTrial({ outcome: "unknown", reason })
  }
  say("the base's Worker: a member signed up, confirmed the address, signed in and wrote an entry")
  const open = opened.move()
  return {
    async after(applied) {
      if (!applied) return { outcome: "not tried", reason: "a file was not applied" }
      const broken = await failureOf(async () => {
        await ada.goOn()
        const grace = createMember({ worker, mailbox }, "Grace")
        await grace.join()
        await grace.signOut()
      })
      if (broken !== undefined) {
        const reason = await loggedReason(account, broken)
        return { outcome: "broken", reason: [broken, ...reason].join("; it logged: ") }
      }
      return { outcome: "works", schema: await schemaStatus(worker) }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Milliseconds; the line of an answer arrives by another way than the answer, and may be later. */
const logTimeout = 10_000

/** The last error of its own that the Worker logged, for which it waits if an answer tells of one. */
async function loggedReason({ logged }: ScratchAccount, broken: string): Promise<string[]> {
  const deadline = performance.now() + (/ answered 5\d\d /.test(broken) ? logTimeout : 0)
  for (;;) {
    const reasons = logged.flatMap(reasonIn)
    if (reasons.length > 0 || performance.now() > deadline) return reasons.slice(-1)
    await sleep(50)
  }
}

const Logged = z.object({ level: z.literal("error"), reason: z.string() })

/** Of a line that the Worker logged about an error of its own, such as a missing column. */
function reasonIn(line: string): string[] {
  const start = line.indexOf("{")
  const parsed = Logged.safeParse(start < 0 ? undefined : parseJson(line.slice(start)))
  return parsed.success ? [parsed.data.reason] : []
}

function withoutTrial(verdict: WorkerVerdict): Trial {
  return { after: async () => verdict, async [Symbol.asyncDispose]() {} }
}

async function failureOf(act: () => Promise<void>): Promise<string | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
