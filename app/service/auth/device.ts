import * as z from "zod"

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

export function deviceOf(agent: string | null | undefined) {
  return { browser: findIn(browsers, agent ?? ""), system: findIn(systems, agent ?? "") }
}

/** What is known of it as a text for a column, of 40 characters at most: the names of this file and nothing else. */
export function packDevice(agent: string | null) {
  const { browser, system } = deviceOf(agent)
  return `${browser ?? ""}/${system ?? ""}`
}

/** Names of this file, each null where it is none of them. */
export const Device = z
  .object({
    browser: z.string().nullable().describe("Such as Firefox"),
    system: z.string().nullable().describe("Such as Linux"),
  })
  .describe("What the user agent says; null where it says nothing known")

export function unpackDevice(packed: string) {
  const [browser, system] = packed.split("/")
  return { browser: browser || null, system: system || null }
}
