import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import type { Command } from "commander"
import ts from "typescript"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { openCommands } from "../cli/commands.ts"
import { deployCommand, nextCommand, type StackPlace } from "../cli/local-options.ts"

const folder = join(root, "packages/tools")
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !/\.test\.ts$|(?:^|\/)(?:tests|testing)\//.test(name))
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }))

/** Returns an argument as it is printed; a variable becomes one word. */
function printedAs(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `1${literal.text}`).join("")
  }
  const inner: ts.Node[] = []
  const visit = (child: ts.Node) => {
    if (ts.isTemplateExpression(child)) inner.push(child)
    else ts.forEachChild(child, visit)
  }
  visit(node)
  return inner.map(printedAs).join(" ") || "word"
}

/** Every call of `nextCommand`: its verb, and its flags as they may be printed. */
const calls = sources.flatMap(({ name, text }) => {
  if (!text.includes("nextCommand(")) return []
  const commandCalls: { name: string; verb: ts.Expression; flags: string[] }[] = []
  const visit = (node: ts.Node) => {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) || node.expression.getText() !== "nextCommand") return
    const [verb, , ...flags] = node.arguments
    if (verb) commandCalls.push({ name, verb, flags: flags.map(printedAs) })
  }
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true))
  return commandCalls
})

const places: StackPlace[] = [
  { stack: "staging", local: false },
  { stack: "staging", local: true, state: "/somewhere/else" },
  { stack: "local", local: false, state: "/somewhere/else" },
]

/** The words of a line, as a shell would pass them on. */
function wordsOf(line: string): string[] {
  const words = line.match(/"[^"]*"|\S+/g) ?? []
  return words.map((word) => word.replaceAll('"', "")).slice(1)
}

function neverRun(command: Command): void {
  if (command.commands.length === 0) command.action(() => {})
  for (const child of command.commands) neverRun(child)
}

/** The real parser, whose commands do nothing; it throws where a word is wrong. */
async function parse(line: string): Promise<void> {
  const commands = await openCommands([])
  neverRun(commands)
  const quiet = { writeErr: () => {}, writeOut: () => {} }
  const withSubcommands = (command: Command): Command[] => [
    command,
    ...command.commands.flatMap(withSubcommands),
  ]
  for (const command of withSubcommands(commands)) command.configureOutput(quiet)
  await commands.parseAsync(["node", ...line.split(" ", 1), ...wordsOf(line)])
}

const verbs = ["up", "plan", "database restore"]
const lines = calls.flatMap(({ verb, flags }) =>
  // A verb that is no literal is one of those that `describeMove` gives.
  (ts.isStringLiteral(verb) ? [verb.text] : verbs).flatMap((text) =>
    places.map((place) => nextCommand(text, place, ...flags)),
  ),
)

test.each([...new Set(lines)])("%s is a command as it is printed", async (line) => {
  await expect(parse(line)).resolves.toBeUndefined()
})

test("a printed command that does not exist, or has an option too many, would be seen", async () => {
  await expect(parse("./accounts undo -s staging")).rejects.toThrow("unknown command")
  await expect(parse("./accounts status -s staging --plan 1")).rejects.toThrow("unknown option")
  expect(lines.length).toBeGreaterThan(60)
})

test.each(places)("what deploys %j again is a command, too", async (place) => {
  const line = deployCommand(place)
  if (!line.startsWith("npm start")) await parse(line)
  expect(line.includes("--state")).toBe(place.state !== undefined)
})

test("no message of a command names a stack by itself", () => {
  const literalStack = /\.\/accounts (?!\$)[\w -]+ -s \$\{/
  const offenders = sources.filter(({ text }) => literalStack.test(text)).map(({ name }) => name)
  // The program does not know by which command it runs.
  expect(offenders).toEqual(["deploy/components/database.ts"])
})
