import type { Words } from "../words/en.ts"

/* The first one that a user agent names: Edge and Opera call themselves Chrome as well, and Chrome Safari. */
const browsers = {
  Edge: /Edg/,
  Opera: /OPR/,
  Firefox: /Firefox|FxiOS/,
  Chrome: /Chrom|CriOS/,
  Safari: /Safari/,
}
const systems = {
  iPhone: /iPhone/,
  iPad: /iPad/,
  Android: /Android/,
  Windows: /Windows/,
  macOS: /Mac OS/,
  Linux: /Linux/,
}

function findIn(known: Record<string, RegExp>, agent: string) {
  return Object.entries(known).find(([, pattern]) => pattern.test(agent))?.[0]
}

/** "Firefox on Linux", as far as a user agent says it. */
export function deviceName(agent: string | null | undefined, words: Words) {
  const [browser, system] = [findIn(browsers, agent ?? ""), findIn(systems, agent ?? "")]
  if (browser !== undefined && system !== undefined) return words.on(browser, system)
  return browser ?? system ?? words.unknownDevice
}
