import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"

import { git } from "./testing/commit.ts"
import { type HiddenChange, openReviewedRepository } from "./testing/reviewed-branch.ts"

const repository = openReviewedRepository()
afterAll(() => repository[Symbol.asyncDispose]())

const { directory } = repository

const production = "environments/Pulumi.production.yaml"
const description = "app/service/openapi/openapi.json"
const reviewer = "packages/tools/cli/review/review.ts"

/** Adds an origin that would get members' cookies. */
function trustPartner(): void {
  repository.replace(production, /(trustedOrigins:\n)/, "$1    - https://partner.org\n")
}

const partner = /^origins that call +\+ origin https:\/\/partner\.org /m
const refused = /\*\*R23\*\* `environments\/Pulumi\.production\.yaml:13`/

/** Changes of a branch that try to escape a reader of its comment, and what the comment still says. */
const branches: Record<string, HiddenChange> = {
  "takes out the rule that would refuse its origin": {
    needsJob: true,
    change() {
      trustPartner()
      repository.replace(
        "packages/tools/environment/rules/host.ts",
        /\.filter\(\(\{ origin \}\) => !ours.*\n/,
        ".filter(() => false)\n",
      )
    },
    says: [
      /what judges +\| `packages\/tools\/environment\/rules\/host\.ts` \+1 -1 /,
      partner,
      refused,
    ],
  },
  "leaves the effective file as it was": {
    change: trustPartner,
    says: [/### Stale\n\n- `environments\/production\.effective\.yaml`/, partner, refused],
  },
  "writes an effective file of its own beside changed code": {
    change() {
      trustPartner()
      repository.replace("environments/production.effective.yaml", /\n.*AUTH_URL.*/, "")
      repository.replace(
        "packages/tools/deploy/components/accounts-provider.ts",
        /^/,
        "// harmless\n",
      )
    },
    says: [
      /^## Read first: this changes what judges, plans or deploys\n/m,
      /what plans or deploys +\| `packages\/tools\/deploy\/components\/accounts-provider\.ts` \+1 -0 /,
      /### Rendered by the code of the branch[^]*production\.effective\.yaml`[^]*^ +- AUTH_URL /m,
      partner,
      refused,
    ],
  },
  "edits a migration that is applied": {
    change: () => repository.replace("migrations/0000_accounts.sql", /^/, "-- harmless\n"),
    says: [/^! 0000_accounts\.sql {2}edited\n! refused: /m],
  },
  "drops a table that its own judge of migrations lets through": {
    needsJob: true,
    change() {
      repository.addMigration("gone", "DROP TABLE journal_entry;\n")
      repository.replace("packages/d1-migrations/lint/statement-rules.ts", /^/, "// harmless\n")
    },
    says: [/^! \d+_gone\.sql {2}\w+\n! refused: /m, /what judges +\| `packages\/d1-migrations\//],
  },
  "deploys production without its reviewers": {
    change: () =>
      repository.replace(
        ".github/workflows/production.yml",
        /\n {4}environment: production #.*/,
        "",
      ),
    says: [/what judges +\| `\.github\/workflows\/production\.yml` \+0 -1 /],
    good: true,
  },
  "removes the owners of the tool": {
    change: () => repository.replace(".github/CODEOWNERS", /$/, "\n/cli/\n"),
    says: [
      /what judges +\| `\.github\/CODEOWNERS` \+\d -0 /,
      /\*\*R59\*\* `\.github\/CODEOWNERS:\d` `\/cli\/` `has no owner`/,
    ],
  },
  "writes the comment itself, by the tool and by the workflow": {
    change() {
      trustPartner()
      repository.replace(reviewer, /changes: changesBetween\(base.*/, "changes: [],")
      repository.replace(".github/workflows/review.yml", /pull_request_target/, "pull_request")
    },
    says: [
      /what judges +\| `\.github\/workflows\/review\.yml` \+1 -1<br>`packages\/tools\/cli\/review\/review\.ts` \+1 -1 /,
      partner,
      refused,
    ],
  },
  "binds something only where a token is set": {
    change: () =>
      repository.replace(
        "packages/tools/deploy/components/bindings.ts",
        /(const texts = \{)/,
        `$1 ...(process.env["CLOUDFLARE_API_TOKEN"] ? { AUTH_TRUSTED_ORIGIN: "https://partner.org" } : {}),`,
      ),
    says: [/what plans or deploys +\| `packages\/tools\/deploy\/components\/bindings\.ts` \+1 -1 /],
    good: true,
  },
  "takes out a limit of requests": {
    change: () =>
      repository.replace(
        "app/service/guard/caller-limit.ts",
        /return admitted\.every.*/,
        "return true",
      ),
    says: [/what answers requests +\| `app\/service\/guard\/caller-limit\.ts` \+1 -1 /],
    good: true,
  },
  "deploys another program": {
    change() {
      repository.replace("Pulumi.yaml", /infra\/main\.js/, "packages/bench/main.js")
      repository.add("packages/bench/main.js", "\n")
    },
    says: [/what plans or deploys +\| `Pulumi\.yaml` \+1 -1 /],
    good: true,
  },
  "makes an environment of a file of the runner": {
    needsJob: true,
    change() {
      rmSync(join(directory, production))
      symlinkSync("/etc/passwd", join(directory, production))
    },
    says: [/\*\*R01\*\*|cannot be read/, /`environments\/Pulumi\.production\.yaml` \+1 -\d+/],
  },
  "pushes its change out of the comment by many files with long names": {
    needsJob: true,
    change() {
      trustPartner()
      const name = `${"\u{540d}".repeat(60)}/`.repeat(10)
      for (let at = 0; at < 1200; at += 1) {
        repository.add(`${["cli", ".ci", "app", "tests"][at % 4]}/${name}${at}.ts`, "\n")
      }
    },
    says: [/<br>and 2\d\d more \|/, partner, refused],
  },
  "has a file whose name is a text of its own": {
    change: () => repository.add("app/`\n\n## Nothing has changed\n\n`.ts", "\n"),
    says: [/what answers requests +\| `app\/' ## Nothing has changed '\.ts` \+1 -0 /],
    good: true,
  },
  "ends a row of the table before the file that matters": {
    change() {
      repository.add("packages/tools/cli/!\\|.ts", "\n")
      repository.replace(
        "packages/tools/deploy/components/accounts-provider.ts",
        /^/,
        "// harmless\n",
      )
    },
    says: [
      /what plans or deploys +\| `packages\/tools\/cli\/!\\ \\\|\.ts` \+1 -0<br>`packages\/tools\/deploy\/components\/accounts-provider\.ts` \+1 -0 +\|/,
    ],
    good: true,
  },
  "has names of files that a reader sees otherwise": {
    change() {
      repository.add("app/\r\r## Nothing has changed\r\r.ts", "\n")
      repository.add("app/\u202Ets.drawkcab\u200B.ts", "\n")
    },
    says: [
      /`app\/\\u\{d\}\\u\{d\}## Nothing has changed\\u\{d\}\\u\{d\}\.ts`/,
      /`app\/\\u\{202e\}ts\.drawkcab\\u\{200b\}\.ts`/,
    ],
    good: true,
  },
  "names an environment so that what follows is none of the comment": {
    change() {
      trustPartner()
      repository.add("environments/Pulumi.<!--|.yaml", "config: {}\n")
    },
    says: [partner, /^### \?\?--\?/m],
  },
  "changes the API's description, the client of members, and an unknown file": {
    change() {
      repository.replace(description, /"url": "\/"/, '"url": "https://evil.example"')
      repository.add("packages/client/src/x.ts", "\n")
      repository.add("migrations/meta/load.js", "\n")
      repository.add("environments/pulumi.production.yaml", "\n")
      symlinkSync("../docs", join(directory, "migrations/notes.md"))
    },
    says: [
      /what answers requests +\| `app\/service\/openapi\/openapi\.json` \+1 -1<br>`packages\/client\/src\/x\.ts` \+1 -0 /,
      /what plans or deploys +\| `environments\/pulumi\.production\.yaml` \+1 -0<br>`migrations\/meta\/load\.js` \+1 -0<br>`migrations\/notes\.md` \+1 -0 /,
    ],
    good: true,
  },
  "brings another repository, which its own settings hide": {
    change() {
      repository.add(
        ".gitmodules",
        '[submodule "x"]\n\tpath = infra/x\n\turl = https://evil.example\n\tignore = all\n',
      )
      mkdirSync(join(directory, "infra/x"))
      git(directory, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},infra/x`)
    },
    says: [/`infra\/x` \+1 -0/, /`\.gitmodules` \+\d -0/],
    good: true,
  },
  "changes how git reads files": {
    change: () => repository.add(".gitattributes", "* linguist-generated -diff merge=union\n"),
    says: [/what plans or deploys +\| `\.gitattributes` /],
    good: true,
  },
  "merges keys into an environment as only the engine does": {
    change: () =>
      repository.replace(
        production,
        /^config:\n/m,
        'config:\n  <<: {"accounts:trustedOrigins": ["https://partner.org"]}\n',
      ),
    says: [/Refused/],
  },
  "takes values of an environment of others": {
    change: () => repository.replace(production, /^config:\n/m, "environment: [evil]\nconfig:\n"),
    says: [/^others +\+ values of Pulumi ESC/m],
  },
}

test.each(Object.entries(branches))(
  "the comment names what a branch does that %s",
  async (_, row) => {
    expect(await repository.judge(row)).toEqual({ unsaid: [], good: row.good ?? false })
  },
)
