/** In lower case as SQLite has it, for names, too: beyond ASCII `Ä` and `ä` are two. */
export function folded(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase()
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
