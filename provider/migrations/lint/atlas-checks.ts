/** What Atlas's analyzers find in SQLite migrations, and which rule finds it here; the page links the source. */
export const atlasChecks: string[][] = [
  ["DS102", "a table is dropped", "`drop-or-rename`, `cascade-parent`"],
  ["DS103", "a column is dropped", "`drop-or-rename`"],
  ["MF101", "a unique index on an existing column", "`unique-on-data`"],
  ["MF102", "an index becomes unique", "`unique-on-data`"],
  ["MF103", "a required column without a default", "`not-null-without-default`"],
  ["MF104, LT101", "a nullable column becomes required", "`not-null-without-default`"],
  ["CD101", "a foreign key is dropped", "not found: no row is lost"],
  ["BC101", "a table is renamed", "`drop-or-rename`"],
  ["BC102", "a column is renamed", "`drop-or-rename`"],
  ["NL101", "files that are out of order", "`up` refuses them"],
  ["NM101…", "names that break a convention", "not found"],
  ["none", "rows that go along with a dropped or replaced parent", "`cascade-parent`"],
  ["none", "a copy that leaves rows behind, or that names no column", "`drop-or-rename`"],
  ["none", "DELETE, UPDATE and REPLACE of rows", "`unbounded-write`"],
  ["none", "what D1 ignores or refuses", "`transaction`, `d1-limits`"],
  ["none", "writes to the ledger", "`ledger-write`"],
]
