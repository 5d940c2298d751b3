import { expect, test } from "vitest"

import { splitStatements } from "./statements.ts"
import { turnsForeignKeysOff } from "./unchecked-import.ts"

test.each([
  "PRAGMA foreign_keys=OFF",
  "pragma Foreign_Keys(false)",
  "-- a dump\nPRAGMA foreign_keys=OFF",
  "/* of today */ PRAGMA /* no */ foreign_keys /* checks */ = /* at */ OFF",
  "SELECT 1; -- then\n/* a */ PRAGMA foreign_keys = 0",
  "PRAGMA main.foreign_keys = off",
  `PRAGMA "foreign_keys" = 'no'`,
  "PRAGMA [foreign_keys](`off`)",
  // SQLite takes whatever it does not know for off.
  "PRAGMA foreign_keys = none",
  "PRAGMA foreign_keys = -1",
])("foreign keys are off after %j", (script) => {
  expect(turnsForeignKeysOff(splitStatements(script))).toBe(true)
})

test.each([
  "PRAGMA foreign_keys",
  "PRAGMA foreign_keys = ON",
  "PRAGMA foreign_keys = 1",
  "-- PRAGMA foreign_keys=OFF\nSELECT 1",
  "SELECT 'PRAGMA foreign_keys=OFF'",
  "PRAGMA defer_foreign_keys = OFF",
  "PRAGMA foreign_key_list(off)",
  "PRAGMA table_info(foreign_keys)",
  "PRAGMA elsewhere.foreign_keys = OFF",
  "INSERT INTO pragma VALUES ('foreign_keys', 'OFF')",
])("foreign keys are as they were after %j", (script) => {
  expect(turnsForeignKeysOff(splitStatements(script))).toBe(false)
})
