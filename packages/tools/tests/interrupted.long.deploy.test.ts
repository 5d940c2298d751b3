import { test } from "vitest"

import { expectConvergedAfter } from "./testing/engine/unanswered-changes.ts"

/** The first, one in the midst of the migrations, and one of the last; interrupted.soak has all of them. */
const sample = ["database", 3, "deployment"] as const

test("after a kill at a change whose answer was lost, repair and up converge, and destroy leaves nothing", async () => {
  await expectConvergedAfter([...sample])
})
