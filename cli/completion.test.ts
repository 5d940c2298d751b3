import { spawnSync } from "node:child_process"
import { join } from "node:path"

import { Argument, Command, Option } from "commander"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"
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

/** Marks end in quotes where they are typed, so that only what is printed is found. */
const inZsh = `
  zmodload zsh/zpty
  zpty shell zsh --no-rcs -i
  run() { zpty -w shell "$1; print DO''NE"; zpty -r shell seen "*DONE*" }
  run "PS1=; autoload -U compinit; compinit -D -u"
  run "source <(./accounts completion zsh)"
  for typed in "$@"; do
    # A tab, then the line that it made becomes a text to print.
    zpty -w -n shell "./accounts $typed"$'\\t'
    zpty -w -n shell $'\\C-a'"print -r -- 'LINE["$'\\C-e'"]DO''NE'"$'\\n'
    zpty -r shell seen "*LINE*DONE*"
    print -r -- "$seen" | tr -d '\\r' | grep -o 'LINE\\[[^]]*\\]DONE' | tail -1
  done
`
const withoutZsh = spawnSync("zsh", ["--version"]).error ? " skipped: zsh is not on PATH" : ""

test.skipIf(withoutZsh)(
  `[zsh] it writes the rest of commands, options and stacks${withoutZsh}`,
  () => {
    const lines = [
      ["bra", "branch"],
      ["branch sw", "branch sweep"],
      ["branch sweep --dry", "branch sweep --dry-run"],
      ["up -s prod", "up -s production"],
    ]
    const typed = lines.map(([text = ""]) => text)
    const { stdout, stderr } = spawnSync("zsh", ["--no-rcs", "-c", inZsh, "zsh", ...typed], {
      cwd: root,
      encoding: "utf8",
      timeout: 300_000,
      env: { PATH: process.env["PATH"] ?? "", TERM: "dumb" },
    })
    expect({ stderr, lines: stdout.trim().split("\n") }).toEqual({
      stderr: "",
      lines: lines.map(([, whole]) => `LINE[./accounts ${whole}]DONE`),
    })
  },
)
