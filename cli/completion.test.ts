import { spawnSync } from "node:child_process"
import { join } from "node:path"

import { Argument, Command, Option } from "commander"
import { expect, test } from "vitest"

import { root } from "../root.ts"
import { suggest } from "./completion.ts"

const cli = new Command("accounts")
  .addCommand(
    new Command("up")
      .requiredOption("-s, --stack <name>", "the stack")
      .addOption(new Option("--colour <when>").choices(["always", "never"]))
      .option("--json", "print JSON"),
  )
  .addCommand(
    new Command("branch")
      .addCommand(new Command("up"))
      .addCommand(new Command("down").description("delete")),
  )
  .addCommand(new Command("preview").addCommand(new Command("sweep")), { hidden: true })
  .addCommand(
    new Command("completion").addArgument(new Argument("<shell>").choices(["bash", "zsh"])),
  )

test.each([
  ["", ["up", "branch", "completion", "help"]],
  ["b", ["branch"]],
  ["branch ", ["up", "down", "help"]],
  ["branch d", ["down"]],
  ["preview s", ["sweep"]],
  ["completion z", ["zsh"]],
  ["up --", ["--stack", "--colour", "--json", "--help"]],
  ["up -s ", ["production", "staging"]],
  ["up --json --stack st", ["staging"]],
  ["up --colour n", ["never"]],
  ["up -s branch --j", ["--json"]],
  ["unknown words ", ["up", "branch", "completion", "help"]],
])("after %j come %j", (typed, expected) => {
  const words = typed.split(" ")
  const partial = words.pop() ?? ""
  const stacks = () => ["production", "staging"]
  expect(suggest(cli, { words, partial, stacks }).map(({ name }) => name)).toEqual(expected)
})

/** What bash offers after the words, by the script that the command prints. */
function completeInBash(...words: string[]): string[] {
  const script = `
    source <(${join(root, "accounts")} completion bash)
    COMP_WORDS=(./accounts "$@"); COMP_CWORD=$#; COMP_LINE="./accounts $*"; COMP_POINT=\${#COMP_LINE}
    _accounts_completion
    printf '%s\\n' "\${COMPREPLY[@]}"
  `
  const { stdout, stderr, status } = spawnSync(
    "bash",
    ["--norc", "--noprofile", "-c", script, "bash", ...words],
    {
      encoding: "utf8",
      // Nothing of the machine's own completions, and a PATH for the project's own Node alone.
      env: { PATH: process.env["PATH"] ?? "" },
    },
  )
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 })
  return stdout.split("\n").filter(Boolean)
}

test("bash completes commands, options and the committed stacks, and runs nothing of the line", () => {
  expect(completeInBash("bra")).toEqual(["branch"])
  expect(completeInBash("branch", "sw")).toEqual(["sweep"])
  expect(completeInBash("branch", "sweep", "--dry")).toEqual(["--dry-run"])
  expect(completeInBash("up", "-s", "")).toEqual(["local", "production", "staging"])
  expect(completeInBash("$(echo branch)", "swe")).toEqual([])
})
