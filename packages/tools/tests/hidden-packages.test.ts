import { afterAll, expect, test } from "vitest"

import { isArchiveOf } from "../cli/review/lock-changes.ts"
import { type HiddenChange, openReviewedRepository } from "./testing/reviewed-branch.ts"

const repository = openReviewedRepository()
afterAll(() => repository[Symbol.asyncDispose]())

/** Packages that a branch installs beside what its title says. */
const branches: Record<string, HiddenChange> = {
  "pushes what it changes out of the comment by many packages": {
    change: () =>
      repository.edit("package-lock.json", (text) => {
        const entry = (at: number) =>
          `"node_modules/a/node_modules/${"long-".repeat(40)}${at}": { "hasInstallScript": true },`
        const entries = Array.from({ length: 500 }, (_, at) => entry(at)).join("\n")
        return text.replace('    "node_modules/zod": {', `${entries}\n    "node_modules/zod": {`)
      }),
    says: [/^Nothing in local, /m, /runs a script when it is installed\n- and 4\d\d more/],
  },
  "installs a package from another server": {
    change: () =>
      repository.replace(
        "package-lock.json",
        /("node_modules\/zod": \{\n)/,
        `$1      "resolved": "https://evil.example/zod/-/zod-4.6.7.tgz",\n`,
      ),
    says: [
      /what is installed +\| `package-lock\.json` /,
      /\*\*refused\*\* `node_modules\/zod comes from https:\/\/evil\.example`/,
    ],
  },
  "installs other content under the version that was there": {
    change: () =>
      repository.replace("package-lock.json", /("node_modules\/zod": \{\n.*\n.*"sha512-)\w/, "$1_"),
    says: [/\*\*refused\*\* `node_modules\/zod 4\.\S+ has another checksum than before`/],
  },
  "installs another package under a name that is known": {
    change: () =>
      repository.replace(
        "package-lock.json",
        /("node_modules\/zod": \{\n)/,
        `$1      "name": "zod-faster",\n`,
      ),
    says: [/\*\*refused\*\* `node_modules\/zod is the package zod-faster`/],
  },
  "runs a script when a package is installed": {
    change: () =>
      repository.replace(
        "package-lock.json",
        /("node_modules\/zod": \{\n)/,
        `$1      "hasInstallScript": true,\n`,
      ),
    says: [/`node_modules\/zod` runs a script when it is installed/],
    good: true,
  },
  "installs by another file than the one that is compared": {
    change() {
      repository.add("npm-shrinkwrap.json", "{}\n")
      repository.replace(
        "packages/d1-migrations/package.json",
        /"type"/,
        `"scripts": { "postinstall": "node x.js" },\n  "type"`,
      )
    },
    says: [
      /what is installed +\| `npm-shrinkwrap\.json` .*<br>`packages\/d1-migrations\/package\.json` /,
    ],
    good: true,
  },
  "installs another scope's package of the same name": {
    change: () =>
      repository.replace(
        "package-lock.json",
        /("node_modules\/zod": \{\n\s+"version": ")[^"]+"/,
        `$19.9.9",\n      "resolved": "https://registry.npmjs.org/@evil/zod/-/zod-9.9.9.tgz"`,
      ),
    says: [/\*\*refused\*\* `node_modules\/zod comes from an archive of another name`/],
  },
  "says that what it installs from elsewhere comes in another package's archive": {
    change: () =>
      repository.replace(
        "package-lock.json",
        /("node_modules\/zod": \{\n)/,
        `$1      "inBundle": true,\n      "resolved": "https://evil.example/zod/-/zod-4.6.7.tgz",\n`,
      ),
    says: [/\*\*refused\*\* `node_modules\/zod comes from https:\/\/evil\.example`/],
  },
  "updates a package, as npm writes it": {
    change: () =>
      repository.replace(
        "package-lock.json",
        /("node_modules\/zod": \{\n\s+"version": ")[^"]+"/,
        `$19.9.9",\n      "resolved": "https://registry.npmjs.org/zod/-/zod-9.9.9.tgz"`,
      ),
    says: [/`node_modules\/zod \S+ → 9\.9\.9`/],
    good: true,
  },
}

test.each(Object.entries(branches))(
  "the comment names what a branch does that %s",
  async (_, row) => {
    expect(await repository.judge(row)).toEqual({ unsaid: [], good: row.good ?? false })
  },
)

test("an archive is a package's by its whole path", () => {
  const { own, foreign } = {
    own: [
      "https://registry.npmjs.org/@acme/x/-/x-1.0.0.tgz",
      "https://npm.acme.com/api/npm/all/@acme/x/-/x-1.0.0.tgz",
      "https://gitlab.acme.com/api/v4/projects/1/packages/npm/@acme/x/-/@acme/x-1.0.0.tgz",
      "https://npm.pkg.github.com/download/@acme/x/1.0.0/0a1b",
    ],
    foreign: [
      "https://registry.npmjs.org/x/-/x-1.0.0.tgz",
      "https://registry.npmjs.org/evil/-/evil-1.0.0.tgz?/@acme/x/-/x-1.0.0.tgz",
      "https://registry.npmjs.org/evil/-/evil-1.0.0.tgz#/@acme/x/-/x-1.0.0.tgz",
      "https://registry.npmjs.org/@acme/x/-/x-1.0.0.tgz/../../../../evil/-/evil-1.0.0.tgz",
      "https://registry.npmjs.org/@acme/x-y/-/x-1.0.0.tgz",
    ],
  }
  expect(own.filter((url) => !isArchiveOf("@acme/x", url))).toEqual([])
  expect(foreign.filter((url) => isArchiveOf("@acme/x", url))).toEqual([])
  for (const scope of ["@evil", "%40evil", "a/@evil"]) {
    expect(isArchiveOf("x", `https://registry.npmjs.org/${scope}/x/-/x-1.0.0.tgz`)).toBe(false)
  }
})
