/** Quotes a text as one word for a POSIX shell. */
export function shellQuote(text: string) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
