import { expect, test } from "vitest"

import operating from "../../../docs/operating.md?raw"

const sources = import.meta.glob<string>(
  ["../../**/*.ts", "!../../**/*.test.ts", "!../../testing/**"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
)

test("docs/operating.md names every event that is logged, and no other", () => {
  const logged = Object.values(sources).flatMap((source) =>
    [...source.matchAll(/\blog\([^,()]*(?:\([^()]*\))?[^,()]*, "([\w.]+)"/g)].map(
      ([, event]) => event,
    ),
  )
  const named = [...operating.matchAll(/^\| `(auth|request|[a-z]+\.[a-z_]+)` +\|/gm)]
  expect(named).toHaveLength(new Set(logged).size)
  expect(new Set(named.map(([, event]) => event))).toEqual(new Set(logged))
})
