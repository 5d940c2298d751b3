import { expect, onTestFinished, test, vi } from "vitest"

import { createSettings } from "../faults/settings.ts"
import { createMachines } from "./machines.ts"

/** What 40 connections read, second by second, while "new" follows "old". */
function watch(seed: number): string[] {
  const settings = createSettings({ machines: { count: 8, spreadMs: 5000, seed } })
  const machines = createMachines({ first: "old", settings, onChange: () => {} })
  const connections = Array.from({ length: 40 }, () => ({}))
  machines.publish("new")
  const seconds = Array.from({ length: 6 }, () => {
    const answers = connections.map((connection) => machines.read(connection).slice(0, 1))
    vi.advanceTimersByTime(1000)
    return answers.join("")
  })
  machines.stop()
  return seconds
}

test("machines take up a change one by one, and a connection never goes back", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const seconds = watch(1)
  expect(seconds[0]).toBe("o".repeat(40))
  expect(seconds[5]).toBe("n".repeat(40))
  expect(seconds.filter((answers) => /o.*n|n.*o/.test(answers)).length).toBeGreaterThan(1)
  for (let connection = 0; connection < 40; connection += 1) {
    expect(seconds.map((answers) => answers[connection]).join("")).toMatch(/^o+n+$/)
  }
})

test("the seed alone decides which machines are late, and who reaches them", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  expect(watch(7)).toEqual(watch(7))
  expect(watch(7)).not.toEqual(watch(8))
})

test("what any machine still serves is held, and a machine never goes back to an older change", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const settings = createSettings({ machines: { count: 2, spreadMs: 60_000, seed: 3 } })
  const machines = createMachines({ first: "a", settings, onChange: () => {} })
  const connection = {}
  machines.publish("b")
  expect(machines.held()).toEqual(["a", "b"])
  expect(machines.read(connection)).toBe("a")
  settings.change({ machines: { count: 3, spreadMs: 0, seed: 3 } })
  machines.publish("c")
  expect(machines.held()).toEqual(["c"])
  vi.advanceTimersByTime(60_000)
  expect([connection, {}, {}, {}, {}].map((one) => machines.read(one)).join("")).toBe("ccccc")
  machines.stop()
})
