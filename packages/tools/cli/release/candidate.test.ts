import { mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { Failure } from "../../base/failure.ts"
import { expectSame } from "./traffic-move.ts"

const candidate = { commit: "0123abc", content: { bundle: "a", "migration 0000_a.sql": "b" } }

function expectWritten(text: string | undefined) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "accounts-candidate-"))
  const file = join(folder.path, "released.json")
  if (text !== undefined) writeFileSync(file, text)
  expectSame(file, candidate)
}

test("what differs from what was released is named", () => {
  expectWritten(JSON.stringify(candidate))
  const other = { ...candidate, content: { bundle: "c" } }
  expect(() => expectWritten(JSON.stringify(other))).toThrow(
    /0123abc.*\n {2}bundle: c → a\n {2}migration 0000_a\.sql: none → b$/,
  )
})

test.each([undefined, "", '{"commit":"0123', "{}", "null", '{"commit":1,"content":{}}'])(
  "a file that holds %s is said in one plain sentence",
  (text) => {
    const run = () => expectWritten(text)
    expect(run).toThrow(Failure)
    expect(run).toThrow(
      /^\S*released\.json is not what \.\/accounts release candidate has printed\.$/,
    )
  },
)
