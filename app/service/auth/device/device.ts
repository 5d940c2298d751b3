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
  return Object.entries(known).find(([, pattern]) => pattern.test(agent))?.[0] ?? null
}

/** As far as a user agent says it. */
export function deviceOf(agent: string | null | undefined) {
  return { browser: findIn(browsers, agent ?? ""), system: findIn(systems, agent ?? "") }
}
