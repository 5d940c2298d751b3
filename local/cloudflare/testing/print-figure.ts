import process from "node:process"

/** A figure of a long run, for who reads its output; what a passing test logs is swallowed. */
export function report(line: string) {
  process.stderr.write(`  ${line}\n`)
}
