import { execFileSync } from "node:child_process"
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
  /** What the steps said besides. */
  output: string
}

/** What a branch hides from whoever reads its comment alone, and what the comment says all the same. */
export type HiddenChange = { title: string; change: () => void; says: RegExp[]; good?: boolean }

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
    /** What its comment does not say, and whether the branch may be merged. */
    async judge({ change, says }: HiddenChange) {
      const { text: whole, good, output } = await repository.review(change)
      // As the workflow cuts it off.
      const text = Buffer.from(whole).subarray(0, 60_000).toString()
      const always = [/^<!-- accounts review -->\n/]
      // A file of the runner is never read.
      if (/root:/.test(text + output)) always.push(/^$/)
      if (text.includes("\n| what ")) always.push(/by the code of `\w{12}`, which ran none of the/)
      const unsaid = [...always, ...says].filter((said) => !said.test(text))
      return { unsaid: unsaid.map((said) => `${said} in:\n${text}${output}`), good }
    },
    /** Commits what `change` does on a branch of `main`, and runs the job that reviews it. */
    async review(change: () => void, isolation: Isolation = {}): Promise<Review> {
      git(directory, "switch", "--quiet", "--force-create", "change", "main")
      change()
      commit(directory, "Change")
      const sha = execFileSync("git", ["rev-parse", "HEAD"], { cwd: directory, encoding: "utf8" })
      git(directory, "switch", "--quiet", "main")
      return await runReview(sha.trim(), isolation)
    },
    async [Symbol.asyncDispose]() {
      runner.remove()
      programs[Symbol.dispose]()
      await checkout[Symbol.asyncDispose]()
    },
  }
  return repository

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
