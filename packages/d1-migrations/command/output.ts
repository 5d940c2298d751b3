/** Prints progress for people, on stderr. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Prints a result that a script may read, on stdout. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
