import process from "node:process"

/** Prints a figure of a soak run to stderr, because vitest hides the console output of passing tests. */
export function printFigure(line: string) {
  process.stderr.write(`  ${line}\n`)
}
