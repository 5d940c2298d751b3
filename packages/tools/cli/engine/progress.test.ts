import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { engineProgress } from "./executable.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test("progress has a line for each step, and one every 15 seconds while it lasts", () => {
  const written: string[] = []
  const report = engineProgress((text) => written.push(text))
  report("Building")
  vi.advanceTimersByTime(31_000)
  report("Verifying")
  report()
  vi.advanceTimersByTime(60_000)
  expect(written).toEqual(["Building\n", "Building (15 s)\n", "Building (30 s)\n", "Verifying\n"])
})
