import { createInterface } from "node:readline/promises"

import { Failure } from "../base/failure.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Milliseconds within which another signal is the same Ctrl-C: npm forwards it to processes that already got it. */
const sameTime = 500

/**
 * Aborts with a Failure INTERRUPTED at the first SIGINT, SIGTERM or SIGHUP. A second signal ends this process
 * and its children. Needed if there is something to clean up, or if children run in another process group:
 * Ctrl-C does not reach them, and by default Node would exit and leave them running.
 */
export function interruptSignal(
  outcome: string,
  onInterrupt: () => void = () => {},
): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  let first: number | undefined
  const interrupt = () => {
    if (first !== undefined && performance.now() - first > sameTime) process.exit(130)
    if (first !== undefined) return
    first = performance.now()
    onInterrupt()
    controller.abort(new Failure("INTERRUPTED", `Interrupted. ${outcome}`))
  }
  for (const name of signals) process.on(name, interrupt)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of signals) process.off(name, interrupt)
    },
  }
}

/**
 * Runs `act` with an interrupt signal, so that it cleans up before the process ends.
 * @throws Failure INTERRUPTED with `outcome`, unless `act` succeeds anyway
 */
export async function untilInterrupted<Result>(
  outcome: string,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  using interrupt = interruptSignal(outcome)
  const { signal } = interrupt
  return await act(signal).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error
  })
}

let mayAsk = true

/** Makes every later question fail, as it does without a terminal. */
export function neverAsk(): void {
  mayAsk = false
}

/** Whether a user can answer at a terminal. */
function canAsk(): boolean {
  return mayAsk && process.stdin.isTTY
}

/** @throws Failure if `confirm` would need an answer that no terminal can give */
export function expectConfirmable(yes: boolean, question: string): void {
  if (!yes && !canAsk()) throw new Failure("USAGE", `${question} Confirm with --yes.`)
}

/** @throws Failure unless `yes` is set or the user agrees at the terminal */
export async function confirm(yes: boolean, question: string): Promise<void> {
  if (yes) return
  expectConfirmable(yes, question)
  await expectAnswer((answer) => /^y(?:es)?$/i.test(answer), `${question} [y/N] `)
}

type Named = {
  /** The value of `--confirm`. */
  given: string | undefined
  /** Text that the user must type. */
  name: string
  question: string
}

/** @throws Failure if `confirmByName` would need a terminal, or if another name was given */
export function expectNamed({ given, name, question }: Named): void {
  if (given === undefined && !canAsk()) {
    throw new Failure("USAGE", `${question} Confirm with --confirm ${name}.`)
  }
  if (given === undefined || given === name) return
  throw new Failure("USAGE", `--confirm ${given} does not confirm it: the name is ${name}.`)
}

/** @throws Failure unless the name was given or is typed at the terminal */
export async function confirmByName(confirmation: Named, signal: AbortSignal): Promise<void> {
  expectNamed(confirmation)
  const { given, name, question } = confirmation
  if (given === name) return
  await expectAnswer((answer) => answer === name, `${question} Type ${name} to go on: `, signal)
}

/** @throws Failure for any other answer, and on Ctrl-C */
async function expectAnswer(
  isWanted: (answer: string) => boolean,
  question: string,
  signal?: AbortSignal,
): Promise<void> {
  const interrupted = new AbortController()
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // The terminal is in raw mode, so Ctrl-C sends no signal.
  terminal.on("SIGINT", () => interrupted.abort())
  const either = AbortSignal.any([interrupted.signal, ...(signal ? [signal] : [])])
  const answer = await terminal
    .question(question, { signal: either })
    .catch(() => "")
    .finally(() => terminal.close())
  if (!isWanted(answer.trim())) throw new Failure("COMMAND_FAILED", "Nothing was changed.")
}
