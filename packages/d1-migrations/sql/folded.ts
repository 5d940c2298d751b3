/** Lower-cases as SQLite does, only ASCII: `Ä` and `ä` are two names. */
export function folded(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase()
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
