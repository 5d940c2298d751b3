import { isatty } from "node:tty"

import { createColors } from "picocolors"

/** Returns the colors for a stream: none if it is not a terminal, or if NO_COLOR is set. */
export function paintFor({ fd }: NodeJS.WriteStream & { fd: number }) {
  // A stream's `isTTY` may be undefined, which colours the output of every CI run.
  return createColors(isatty(fd) && !process.env["NO_COLOR"])
}

export const paint = paintFor(process.stderr)

/** Prints progress on stderr. */
export function say(line: string): void {
  process.stderr.write(`${visible(line)}\n`)
}

/** Prints a result that a script may read, on stdout. */
export function print(line: string): void {
  process.stdout.write(`${visible(line)}\n`)
}

/** Resolves when all output has left this process, or its reader is gone. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) => new Promise<void>((resolve) => void stream.write("", () => resolve())),
    ),
  )
}

/** Ends the command when the reader of its result has read enough, as `head` does. */
export function exitWithReader(): void {
  process.stdout.on("error", (error) => {
    if ("code" in error && error.code === "EPIPE") process.exit()
    throw error
  })
}

/** Formats rows as aligned columns, two spaces apart. */
export function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([label]) => label.length))
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join("\n")
}

/** Colours (kept), and characters except line break and tab that control a terminal, or hide or reverse text. */
// oxlint-disable-next-line no-control-regex -- colours begin with one
const unseen = /(\u001B\[[\d;]*m)|(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Escapes invisible characters like JSON: any output may contain foreign text, from an account, a
 * request or a repository.
 */
function visible(text: string): string {
  return text.replaceAll(unseen, (match, colour?: string) => colour ?? escapeOf(match))
}

function escapeOf(character: string): string {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"))
  return units.map((unit) => `\\u${unit}`).join("")
}

/** Replaces control characters and line breaks in foreign text. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")
}
