import { afterAll, expect, test } from "vitest"

import { newestCompatibilityDate } from "./miniflare/miniflare-package.ts"
import { ScriptStartError, type VersionSpec } from "./plane.ts"
import { module, openTestPlane, until, versionSpec } from "./testing/test-plane.ts"

const failures: [name: string, spec: Partial<VersionSpec> & { code?: string }, message: RegExp][] =
  [
    [
      "a syntax error",
      { code: "export default {" },
      /^Uncaught SyntaxError: Unexpected end of input\n {2}at worker\.js:\d/,
    ],
    [
      "an exception",
      { code: "throw new Error('no')" },
      /^Uncaught Error: no\n {2}at worker\.js:1:7$/,
    ],
    [
      "a missing module",
      { code: "import './nope.js'" },
      /^Uncaught Error: No such module "nope\.js"\.\n {2}imported from "worker\.js"$/,
    ],
    [
      "work before the first request",
      { code: "await fetch('http://x')" },
      /^Uncaught Error: Disallowed operation called within global scope/,
    ],
    ["an unknown flag", { compatibilityFlags: ["nope"] }, /^No such compatibility flag: nope$/],
    ["a day to come", { compatibilityDate: "2999-01-01" }, /2999-01-01.* is in the future/],
    [
      "a main module that was not sent",
      { mainModule: "other.js" },
      /^The main module other\.js is not among the modules$/,
    ],
    [
      "a module of an unknown type",
      { modules: [module("worker.js", "", "text/x-python")] },
      /^Module worker\.js has the unsupported content type text\/x-python$/,
    ],
    ["a loop", { code: "while (true) {}" }, /^Script startup exceeded CPU time limit\.$/],
  ]

test("a compatibility date of today runs with the newest that workerd knows", async () => {
  await using plane = await openTestPlane()
  const today = new Date().toISOString().slice(0, 10)
  const version = versionSpec({ compatibilityDate: today })
  await plane.start(version)
  expect(plane.running(version.id)).toBe(true)
  const expectedLine = `site (version 1): compatibility date ${today} is newer than this workerd: it runs with ${newestCompatibilityDate}`
  expect(plane.log).toEqual(today > newestCompatibilityDate ? [expectedLine] : [])
})

test("the time of a start is that of the script's own code, not of its process", async () => {
  await using plane = await openTestPlane()
  const start = async (code: string) => {
    const { startupMilliseconds } = await plane.start(
      versionSpec({ code: `${code}; export default { fetch() {} }` }),
    )
    return startupMilliseconds
  }
  const idle = [await start(""), await start(""), await start("")]
  const busy = await start(
    "let sum = 0; for (let i = 0; i < 1e8; i++) sum += i % 7; globalThis.sum = sum",
  )
  expect(idle[0]).toBe(0)
  expect(busy).toBeGreaterThan(Math.max(...idle))
})

/** Shared by all failures, since each leaves it unchanged. */
const plane = await openTestPlane()
afterAll(() => plane[Symbol.asyncDispose]())

test.for(failures)(
  "a version with %s fails to start, says why and leaves no process",
  async ([, spec, message]) => {
    const version = versionSpec(spec)
    const failure = await plane.start(version).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ScriptStartError)
    expect(failure).toHaveProperty("message", expect.stringMatching(message))
    expect(plane.running(version.id)).toBe(false)
    await until(() => plane.processes().length === 1)
  },
)
