import { createColors } from "picocolors"

/** Colours for progress on stderr: none where it is no terminal, or NO_COLOR is set. */
export const paint = createColors(process.stderr.isTTY && !process.env["NO_COLOR"])

/** A line of progress for people. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** A result: what a script may read from stdout. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Rows as aligned columns, two spaces apart, for people. */
export function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([label]) => label.length))
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join("\n")
}

/** Whoever sends a request must not get to steer the terminal. */
export function printable(text: string) {
  return text.replaceAll(/\p{Cc}/gu, "?")
}

/** A failure that is the user's to mend: shown as it is, without a stack trace. */
export class Failure extends Error {
  override name = "Failure"
  /** 1 found or failed, 2 wrong usage, 130 interrupted. */
  readonly exitCode: 1 | 2 | 130

  constructor(message: string, options: { exitCode?: 1 | 2 | 130; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.exitCode = options.exitCode ?? 1
  }
}

/** Another run holds what this one needs. It may be done in a moment. */
export class Locked extends Failure {
  override name = "Locked"
}

/** The Automation API wraps the engine's whole output in its message; this is the part for people. */
export function engineOutput(text: string): string {
  const stderr = /stderr: ([\s\S]*?)(?:\n err\?:|$)/.exec(text)?.[1]?.trim()
  return stderr ?? text
}
