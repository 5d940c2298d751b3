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
  report({ phase: "building" })
  vi.advanceTimersByTime(31_000)
  report({ phase: "verifying" })
  report({ phase: "done" })
  vi.advanceTimersByTime(60_000)
  const building =
    "Building the Pulumi engine 3.259.0 from its Go modules, once, about seven minutes on two cores"
  expect(screen.written).toEqual([
    "No download: offline.\n",
    `${building} (0:00)\n`,
    `${building} (0:15)\n`,
    `${building} (0:30)\n`,
    "Verifying the engine (0:31)\n",
  ])
  expect(screen.written.join("")).not.toContain("\u001B")
})

test("a terminal has one live line, which is erased in the end", () => {
  const screen = createScreen({ isTTY: true, columns: 30 })
  const report = engineProgress(screen)
  report({ phase: "building" })
  vi.advanceTimersByTime(2000)
  // Cut, because a line that wraps cannot be overwritten.
  expect(visible(screen.written).at(-1)).toBe("Building the Pulumi engine 3.")
  report({ phase: "done" })
  expect(visible(screen.written)).toEqual([""])
})

test("nothing is printed if the engine is already available", () => {
  const screen = createScreen({ isTTY: true })
  engineProgress(screen)({ phase: "done" })
  expect(screen.written).toEqual([])
})
