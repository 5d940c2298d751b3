import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { type Checkout, copyCheckout } from "./testing/checkout.ts"
import { runByCommand } from "./testing/engine/language-host.ts"
import { configOf, record } from "./testing/engine/recorded-program.ts"

const file = "infra/project.ts"
const settings = "app/service/platform/configuration/settings.ts"

function recordLocal({ directory }: Checkout) {
  const config = configOf("local", { root: directory })
  const options = { stack: "local", config, secretKeys: [], dryRun: false }
  return record(options, (run) => runByCommand(join(directory, "infra/main.js"), run))
}

test.each([
  ["is no TypeScript", (text: string) => `${text}\nconst ) = 1\n`, /cannot be loaded: .*:\d+: /],
  [
    "throws",
    (text: string) => `${text}\nthrow new Error("no luck")\n`,
    /cannot be loaded: no luck/,
  ],
  [
    "imports what is not there",
    (text: string) => text.replace("./bundle.ts", "./bundler.ts"),
    /cannot be loaded: Cannot find module .*bundler\.ts/,
  ],
  [
    "has a value of another kind",
    (text: string) => text.replace('tables: "', 'tables: 1, // "'),
    /is not what defineProject takes: tables: /,
  ],
  [
    "is of another contract",
    (text: string) => text.replace("contract: 1", "contract: 2"),
    /is of contract 2, and these tools are of contract 1$/,
  ],
])(
  "an infra/project.ts that %s is one plain error of every command and program",
  async (...row) => {
    const [, change, expected] = row
    await using checkout = copyCheckout()
    checkout.edit(file, change)
    const commands = [
      "environment check",
      "plan -s production",
      "secret rotate AUTH_SECRET -s staging",
      "owner grant a@b.cd -s local --local",
    ]
    for (const command of commands) {
      const { code, stderr } = await checkout.run(...command.split(" "))
      expect({ command, code, lines: stderr.trim().split("\n").length }).toEqual({
        command,
        code: 1,
        lines: 1,
      })
      expect(stderr.trim()).toMatch(/^error: infra\/project\.ts /)
      expect(stderr.trim()).toMatch(expected)
    }
    await expect(recordLocal(checkout)).rejects.toThrow(
      /^The program exited with 32: infra\/project\.ts [^\n]*\n$/,
    )
    expect(await checkout.run("--help")).toMatchObject({ code: 0 })
  },
)

/** Inserts text before a line. */
function before(line: string, added: string) {
  return (text: string) => {
    expect(text).toContain(line)
    return text.replace(line, () => `${added}\n${line}`)
  }
}

/** Inserts text after the opening of a list or an object, which a copy may have filled. */
function after(opening: string, added: string) {
  return (text: string) => {
    expect(text).toContain(opening)
    return text.replace(opening, () => `${opening}${added}`)
  }
}

/** Compiler errors of infra/project.ts and all that it imports. */
function compile({ directory }: Checkout): string {
  const compilation = {
    extends: "./tsconfig.base.json",
    compilerOptions: { lib: ["es2024", "esnext.array"], types: ["node"] },
    files: [file],
  }
  writeFileSync(join(directory, "tsconfig.project.json"), JSON.stringify(compilation))
  const command = [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.project.json"]
  return spawnSync(process.execPath, command, { cwd: directory, encoding: "utf8" }).stdout
}

test("a key, a variable, a secret and a rule of the service's own take two files beside the stack file", async () => {
  await using checkout = copyCheckout()
  const { directory } = checkout
  checkout.edit(
    settings,
    before(
      "  /** Key of the one-time codes",
      `  /** Where customers are told of. */
  CRM_URL: keyed("crmUrl", { schema: z.url().optional(), parser: z.url().optional() }),
  /** Language that customers speak. */
  CRM_LANGUAGE: text(z.string().optional()),
  /** Key of the CRM. */
  CRM_KEY: drawn("by the stack"),`,
    ),
  )
  expect(compile(checkout)).toMatch(/infra\/project\.ts.*CRM_LANGUAGE/)
  checkout.edit(settings, (text) => text.replace(/.*\n {2}CRM_LANGUAGE: .*\n/, ""))

  checkout.edit(file, (text) =>
    [
      before("    SMOKE_KEY: {", '    CRM_KEY: { suffix: "crm", made: "everywhere" },'),
      after(
        "  rules: [",
        `{
      id: "A99",
      message: "The CRM is ours",
      fix: "name a host of acme.com",
      accept: "with a reason",
      check: ({ environment: { crmUrl } }) =>
        crmUrl === undefined || new URL(crmUrl).host.endsWith(".acme.com")
          ? []
          : [{ path: ["accounts:crmUrl"], reason: "is not ours" }],
    },`,
      ),
    ].reduce((edited, edit) => edit(edited), text),
  )
  expect(compile(checkout)).toBe("")

  const stackFile = "environments/Pulumi.local.yaml"
  const local = readFileSync(join(directory, stackFile), "utf8")
  checkout.write(stackFile, `${local}  accounts:crmUrl: https://crm.evil.com\n`)
  expect((await checkout.run("environment", "check")).stdout).toContain(
    "accounts:crmUrl is not ours [A99]",
  )
  checkout.write(
    stackFile,
    `${local}  accounts:crmUrl: https://crm.evil.com\n  accounts:accept: { A99: "until May" }\n`,
  )
  expect((await checkout.run("environment", "check")).stdout).toContain("Accepted: until May")
  checkout.write(stackFile, `${local}  accounts:crmUrl: https://crm.acme.com\n`)

  const edited = execFileSync("git", ["diff", "--name-only"], { cwd: directory, encoding: "utf8" })
  expect(edited.split("\n").filter(Boolean)).toEqual([settings, stackFile, file])

  execFileSync(process.execPath, ["packages/tools/documents/write-generated.ts"], {
    cwd: directory,
  })
  const written = (path: string) => readFileSync(join(directory, path), "utf8")
  expect(written("docs/bindings.md")).toMatch(/`CRM_URL` *\| `crmUrl`/)
  expect(written("docs/bindings.md")).toMatch(/`CRM_KEY` *\| the stack/)
  expect(written("docs/environment-rules.md")).toMatch(/- \*\*A99\*\* The CRM is ours/)
  expect(written("environments/stack.schema.json")).toContain('"accounts:crmUrl"')
  expect(written("environments/local.effective.yaml")).toContain("CRM_URL: plain_text https://crm")
  expect(await checkout.run("environment", "check")).toMatchObject({ code: 0 })

  const { resources } = await recordLocal(checkout)
  const version = Object.entries(resources).find(([urn]) => urn.includes(":Version::"))
  expect(JSON.stringify(version)).toContain('"CRM_URL":{"text":"https://crm.acme.com"')
  expect(Object.keys(resources).join("\n")).toContain(":Secret::accounts-crm")
})
