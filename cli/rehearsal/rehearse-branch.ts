import { join } from "node:path"

import {
  problemsOf as problemsOfFiles,
  type Rehearsal,
  rehearse,
  type Told,
} from "@accounts/d1-migrations"
import { findPending, type Migration } from "@accounts/d1-migrations/files"

import { Failure, messageOf } from "../../base/failure.ts"
import { readMigrations } from "../../provider/migrations/own-names.ts"
import type { BaseCommit } from "./base-commit.ts"
import { tryBase, type WorkerVerdict } from "./base-trial.ts"
import type { ScratchAccount } from "./scratch-account.ts"

export type BranchRehearsal = Rehearsal & {
  /** Commit that the branch comes from. */
  base: string
  worker: WorkerVerdict
}

export type Rehearsing = {
  /** Of the repository. */
  root: string
  base: BaseCommit
  rows: number
  /** Whether the base's Worker is tried, too. */
  journey: boolean
  openAccount: () => Promise<ScratchAccount>
  say: (line: string) => void
  /** Ends it between two steps, so that nothing is left behind. */
  signal: AbortSignal
}

/** Applies the branch's files to the base's schema with rows in it, in a real local D1. */
export async function rehearseBranch(rehearsing: Rehearsing): Promise<BranchRehearsal> {
  const { root, base, rows, say } = rehearsing
  const files = await readMigrations(join(root, "migrations"))
  const pending = pendingFiles(files, base)
  let worker: WorkerVerdict = { outcome: "not tried", reason: "no file is new" }
  if (pending.length === 0) {
    const objects = { added: [], changed: [], dropped: [] }
    return {
      base: base.sha,
      rows,
      files: [],
      grown: [],
      notRun: [],
      objects,
      shortages: [],
      worker,
    }
  }
  say(`new since ${base.sha.slice(0, 12)}: ${pending.map(({ name }) => name).join(", ")}`)
  await using account = await rehearsing.openAccount()
  await using trials = new AsyncDisposableStack()
  const rehearsal = await rehearse({
    ...rehearsing,
    base: base.migrations,
    pending,
    create: (name) => account.createDatabase(name),
    async trial({ databaseId }) {
      const trial = trials.use(await tryBase({ ...rehearsing, account, databaseId }))
      return async (applied) => {
        worker = await trial.after(applied)
      }
    },
  })
  return { ...rehearsal, base: base.sha, worker }
}

/** @throws USAGE when a file of the base was edited, renamed or removed */
function pendingFiles(files: Migration[], base: BaseCommit): Migration[] {
  try {
    return findPending(files, base.migrations).pending
  } catch (error) {
    const message = `The files of ${base.sha.slice(0, 12)} are not the first of migrations/: ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}

/** Why the branch must not be merged as it is; empty when it may. */
export function problemsOf(rehearsal: BranchRehearsal): string[] {
  const { worker } = rehearsal
  const said = {
    broken: "the version that serves today breaks on the new schema",
    unknown: "whether the version that serves today keeps working is not known",
  }
  const ofFiles = problemsOfFiles(rehearsal)
  if (worker.outcome === "works" || worker.outcome === "not tried") return ofFiles
  return [...ofFiles, `${said[worker.outcome]}: ${worker.reason}`]
}

/** What a report says besides. */
export function toldOf(rehearsal: BranchRehearsal): Told {
  return {
    base: rehearsal.base.slice(0, 12),
    facts: [`The base's Worker ${workerText(rehearsal.worker)}`],
    problems: problemsOf(rehearsal),
  }
}

function workerText(worker: WorkerVerdict): string {
  if (worker.outcome !== "works") {
    const said = { broken: "breaks", unknown: "is not known to work", "not tried": "was not tried" }
    return `${said[worker.outcome]}: ${worker.reason}`
  }
  const works =
    "works on the new schema (sign-up to sign-out, for a new member and for one of before)"
  if (worker.schema !== "ahead") return works
  return `${works}; it cannot be released again afterwards, as the files take names that it may use`
}
