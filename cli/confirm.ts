import { createInterface } from "node:readline/promises"

import { Failure } from "../failure.ts"

let mayAsk = true

/** After this, everything that would ask fails as it does where there is no terminal. */
export function neverAsk(): void {
  mayAsk = false
}

/** Whether somebody is there to answer. */
export function canAsk(): boolean {
  return mayAsk && process.stdin.isTTY
}

/** @throws Failure if `confirm` could not ask */
export function expectConfirmable(yes: boolean, question: string): void {
  if (!yes && !canAsk()) throw new Failure("USAGE", `${question} Confirm with --yes.`)
}

/** @throws Failure unless `yes` is set or the user agrees at the terminal */
export async function confirm(yes: boolean, question: string): Promise<void> {
  if (yes) return
  expectConfirmable(yes, question)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close())
  if (/^y(?:es)?$/i.test(answer.trim())) return
  throw new Failure("COMMAND_FAILED", "Nothing was changed.")
}
