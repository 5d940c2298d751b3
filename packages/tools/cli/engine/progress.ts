/** Gets each step as it begins, and nothing once the last one has ended. */
export type OnProgress = (step?: string) => void

const interval = 15_000

/** Prints a line for each step, and one every 15 seconds while it lasts. */
export function engineProgress(
  write: (text: string) => unknown = (text) => process.stderr.write(text),
): OnProgress {
  let timer: NodeJS.Timeout | undefined
  return (step) => {
    clearInterval(timer)
    if (step === undefined) return
    const began = performance.now()
    const repeat = () => write(`${step} (${Math.round((performance.now() - began) / 1000)} s)\n`)
    write(`${step}\n`)
    timer = setInterval(repeat, interval).unref()
  }
}
