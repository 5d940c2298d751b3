import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { root } from "../../base/root.ts"
import { readBaseUse } from "../../cli/rehearsal/base-commit.ts"
import { openScratchAccount } from "../../cli/rehearsal/rehearse-branch.ts"
import { openBranch } from "../../cli/review/branch-files.ts"
import { reviewText } from "../../cli/review/review-text.ts"
import { review } from "../../cli/review/review.ts"
import { isGood, rehearseNew } from "../../cli/review/verdict.ts"
import { copyCheckout } from "./checkout.ts"
import { commit, git } from "./commit.ts"
import { createPrograms } from "./programs.ts"
import { readWorkflow, runJob } from "./workflow.ts"

/** The job that reviews a commit, and what GitHub says of that. */
function jobOf(sha: string) {
  const job = readWorkflow("review").jobs["review"]
  if (!job) throw new Error("review.yml has no job review")
  return { job, contexts: { "github.event.pull_request.head.sha": sha } }
}

export type Review = {
  /** Text of the comment; empty where there is none. */
  text: string
  good: boolean
  /** Other output of the steps. */
  output: string
}

/** A change that a branch hides from a reader of its comment, and what the comment still says. */
export type HiddenChange = {
  change: () => void
  says: RegExp[]
  good?: boolean
  /** Whether it shows by the whole job alone: whose code judges, what a runner has, where a comment ends. */
  needsJob?: boolean
}

/** A repository whose `main` is this checkout, with its workflows. Branches of it are reviewed as there. */
export function openReviewedRepository() {
  const checkout = copyCheckout()
  const { directory } = checkout
  cpSync(join(root, ".github"), join(directory, ".github"), { recursive: true })
  commit(directory, "Add workflows")
  // A runner's npm would install the same.
  const modules = join(root, "node_modules")
  const programs = createPrograms({
    npm: `[ "$*" = "ci --ignore-scripts" ] && ln -s ${modules} node_modules`,
  })
  const runner = mkdtempDisposableSync(join(tmpdir(), "accounts-review-"))
  // At the same path each time: what one run has compiled, the next one finds.
  const clone = join(runner.path, "clone")
  const repository = {
    ...checkout,
    /** @throws if nothing is replaced, as once the code is another */
    replace(path: string, from: RegExp, to: string): void {
      checkout.edit(path, (text) => {
        if (!from.test(text)) throw new Error(`${path} does not contain ${from}`)
        return text.replace(from, to)
      })
    },
    add(path: string, text: string): void {
      mkdirSync(join(directory, path, ".."), { recursive: true })
      writeFileSync(join(directory, path), text)
    },
    /** Judges a change: what its comment lacks, and whether the branch may be merged. */
    async judge({ change, says, needsJob = false }: HiddenChange) {
      const sha = commitChange(change)
      const { text: whole, good, output } = await (needsJob ? runReview(sha, {}) : reviewHere(sha))
      // The workflow cuts it off here.
      const text = Buffer.from(whole).subarray(0, 60_000).toString()
      const always = [/^<!-- accounts review -->\n/]
      // A file of the runner is never read.
      if (/root:/.test(text + output)) always.push(/^$/)
      if (text.includes("\n| what ")) always.push(/by the code of `\w{12}`, which ran none of the/)
      const unsaid = [...always, ...says].filter((pattern) => !pattern.test(text))
      return { unsaid: unsaid.map((pattern) => `${pattern} in:\n${text}${output}`), good }
    },
    /** Commits what `change` does on a branch of `main`, and runs the job that reviews it. */
    review: async (change: () => void, isolation: Isolation = {}): Promise<Review> =>
      await runReview(commitChange(change), isolation),
    async [Symbol.asyncDispose]() {
      runner.remove()
      programs[Symbol.dispose]()
      await checkout[Symbol.asyncDispose]()
    },
  }
  return repository

  function commitChange(change: () => void): string {
    git(directory, "switch", "--quiet", "--force-create", "change", "main")
    change()
    commit(directory, "Change")
    const sha = git(directory, "rev-parse", "HEAD")
    git(directory, "switch", "--quiet", "main")
    return sha
  }

  /** Reviews with the modules of this checkout, which are those of `main`, like the job's command. */
  async function reviewHere(sha: string): Promise<Review> {
    const printed: string[] = []
    try {
      git(directory, "clone", "--quiet", "--no-checkout", directory, clone)
      git(clone, "checkout", "--quiet", "--detach", sha)
      using branch = openBranch(directory, clone)
      const environment = { GITHUB_HEAD_REF: "change" }
      const result = await review(branch.root, branch.base, { judge: branch.base, environment })
      const rehearsal = await rehearseNew(result.migrations, {
        ...branch,
        rows: "",
        readUse: readBaseUse,
        openAccount: openScratchAccount,
        say: (line) => void printed.push(line),
        signal: new AbortController().signal,
      })
      const reviewed = { ...result, rehearsal }
      return { text: reviewText(reviewed), good: isGood(reviewed), output: printed.join("\n") }
    } catch (error) {
      return { text: "", good: false, output: [...printed, String(error)].join("\n") }
    } finally {
      rmSync(clone, { recursive: true, force: true })
    }
  }

  async function runReview(sha: string, { within = [], environment = {} }: Isolation) {
    mkdirSync(clone)
    try {
      const { good, output } = await runJob({
        ...jobOf(sha),
        clone,
        repository: directory,
        environment: {
          PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
          GITHUB_HEAD_REF: "change",
          ...environment,
        },
        path: [programs.directory],
        within,
      }).then(
        (done) => ({ good: true, output: done.output }),
        (error: unknown) => ({ good: false, output: String(error) }),
      )
      const file = join(clone, "review.md")
      return { good, output, text: existsSync(file) ? readFileSync(file, "utf8") : "" }
    } finally {
      rmSync(clone, { recursive: true, force: true })
    }
  }
}

type Isolation = { within?: string[]; environment?: Record<string, string> }
