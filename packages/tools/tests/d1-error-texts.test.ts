import { d1ErrorMessages } from "@accounts-stack/local/d1-error-texts"
import { expect, test } from "vitest"

import { databaseErrors } from "../../../app/testing/database-errors.ts"

test("the local Cloudflare raises the errors for which the service has an answer", () => {
  expect(Object.keys(databaseErrors).toSorted()).toEqual([...d1ErrorMessages].toSorted())
})
