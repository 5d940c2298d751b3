/**
 * A full-text table over the content of another one, or a list of its words, can be made again at any
 * time; one with content of its own, or with none, holds the only copy.
 */
export function holdsRows(sql: string): boolean {
  return !/\busing\s+fts\dvocab\b|\bcontent\s*=\s*(?:'[^']|"[^"]|[^\s'",)])/i.test(sql)
}
