import { expect, test } from "vitest"

import type { BindingDeclaration } from "../../environment/project/binding.ts"
import { type ForeignBindings, expectForeignBindings } from "./bindings.ts"

const summary = "What members have uploaded."
const declared: Record<string, BindingDeclaration> = {
  DB: { type: "d1", required: "always", summary },
  FILES: { type: "r2_bucket", required: "always", summary },
  JOBS: { type: "queue", required: "permanent", summary },
  AI: { type: "ai", required: "never", summary },
}

test("what the program binds beside app/bindings.ts, and what it leaves out, is refused at once", () => {
  const judge = (environment: "preview" | "production", given: ForeignBindings) => () =>
    expectForeignBindings({ declared, environment: { environment }, given })
  const files = { bucket_name: "files" }
  expect(judge("preview", { FILES: files })).not.toThrow()
  expect(judge("production", { FILES: files, JOBS: { queue_name: "jobs" }, AI: {} })).not.toThrow()
  expect(judge("production", { DB: { id: "another" }, PAIRS: {} })).toThrow(
    [
      "infra/index.ts gives Service no binding FILES (r2_bucket), as app/bindings.ts declares it",
      "infra/index.ts gives Service no binding JOBS (queue), as app/bindings.ts declares it",
      "app/bindings.ts does not declare DB, which infra/index.ts binds",
      "app/bindings.ts does not declare PAIRS, which infra/index.ts binds",
    ].join("\n"),
  )
})
