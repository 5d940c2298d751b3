import { expect, test } from "vitest"

import { describeIssues } from "../../daemon/issues.ts"
import { ClassMigrations } from "./class-migrations.ts"

function refusalOf(migrations: unknown): string | undefined {
  const { error } = ClassMigrations.safeParse(migrations)
  return error && describeIssues(error)
}

test("migrations that ask for nothing pass, as Alchemy sends them with every upload", () => {
  const lists = { new_classes: [], new_sqlite_classes: [], deleted_classes: [] }
  const pairs = { renamed_classes: [], transferred_classes: [] }
  for (const empty of [undefined, {}, { ...lists, ...pairs }, { steps: [lists] }]) {
    expect(refusalOf(empty)).toBeUndefined()
  }
})

test.each([
  [{ new_classes: ["Room"] }, "new_classes: the local Cloudflare runs no Durable Objects"],
  [{ renamed_classes: [{ from: "A", to: "B" }] }, "renamed_classes: the local Cloudflare runs no"],
  [{ steps: [{ deleted_classes: ["Room"] }] }, "steps.0.deleted_classes: the local Cloudflare"],
  [{ old_tag: "v1" }, "old_tag: the local Cloudflare runs no Durable Objects, so it keeps no tag"],
  [{ new_class: [] }, 'Unrecognized key: "new_class"'],
])("migrations %j are refused by what they ask for", (migrations, reason) => {
  expect(refusalOf(migrations)).toContain(reason)
})
