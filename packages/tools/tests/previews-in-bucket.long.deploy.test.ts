import { test } from "vitest"

import { expectOnlyWanted } from "./testing/previews-at-once.ts"
import { s3Missing } from "./testing/s3-server.ts"

const missing = await s3Missing()
const note = missing ? ` skipped: ${missing}` : ""

test.skipIf(missing !== undefined)(
  `three previews at once end as exactly those that are wanted, in the account and in the bucket [bucket]${note}`,
  () => expectOnlyWanted(["closed", "lost-and-gone", "Living/One"]),
)
