/** `*` matches any characters; the pattern must match the whole text. Without one, any text matches. */
export function matchesPattern(pattern: string | undefined, text = ""): boolean {
  if (pattern === undefined) return true
  const source = pattern.split("*").map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`))
  return new RegExp(`^${source.join(".*")}$`, "s").test(text)
}
