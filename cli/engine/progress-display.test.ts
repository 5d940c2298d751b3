import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { engineProgress } from "./progress-display.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function createScreen(size: { isTTY?: boolean; columns?: number } = {}) {
  const written: string[] = []
  return { written, ...size, write: (text: string) => written.push(text) }
}

/** What a terminal shows after carriage returns and erased lines. */
function visible(written: string[]) {
  return written
    .join("")
    .split("\n")
    .map((line) => line.split("\r\u001B[2K").at(-1))
}

test("a log has a line per phase and one every 15 seconds", () => {
  const screen = createScreen()
  const report = engineProgress(screen)
  report({ phase: "skipped", source: "download", reason: "No download: offline." })
  report({ phase: "fetching", modules: 0 })
  for (let done = 100; done < 160; done += 1) {
    report({ phase: "compiling", done, total: 1686, reused: 100 })
    vi.advanceTimersByTime(1000)
  }
  report({ phase: "linking" })
  report({ phase: "done" })
  vi.advanceTimersByTime(60_000)
  expect(screen.written).toEqual([
    "No download: offline.\n",
    "Building the Pulumi engine 3.259.0 from its Go modules. This happens once and takes about seven minutes on two cores.\n",
    "Fetching Go modules: 0 (0:00)\n",
    "Continuing from Go's build cache: 100 of 1686 packages are compiled already.\n",
    "Compiling: 100 of 1686 packages (0:00)\n",
    "Compiling: 114 of 1686 packages (0:15)\n",
    "Compiling: 129 of 1686 packages (0:30)\n",
    "Compiling: 144 of 1686 packages (0:45)\n",
    "Compiling: 159 of 1686 packages (1:00)\n",
    "Linking the engine (1:00)\n",
  ])
  expect(screen.written.join("")).not.toContain("\u001B")
})

test("a terminal has one live line, which is erased in the end", () => {
  const screen = createScreen({ isTTY: true, columns: 30 })
  const report = engineProgress(screen)
  report({ phase: "fetching", modules: 3 })
  report({ phase: "compiling", done: 7, total: 1686, reused: 0 })
  vi.advanceTimersByTime(2000)
  // Cut, because a line that wraps cannot be overwritten.
  expect(visible(screen.written).at(-1)).toBe("Compiling: 7 of 1686 packages")
  report({ phase: "done" })
  expect(visible(screen.written)).toEqual([expect.stringContaining("This happens once"), ""])
})

test("nothing is printed if the engine is already available", () => {
  const screen = createScreen({ isTTY: true })
  engineProgress(screen)({ phase: "done" })
  expect(screen.written).toEqual([])
})
