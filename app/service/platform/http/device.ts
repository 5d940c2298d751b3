import * as z from "zod"

/* The first match is used: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari. */
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

function findIn(patterns: Record<string, RegExp>, agent: string) {
  return Object.entries(patterns).find(([, pattern]) => pattern.test(agent))?.[0] ?? null
}

export function deviceOf(agent: string | null | undefined) {
  return { browser: findIn(browsers, agent ?? ""), system: findIn(systems, agent ?? "") }
}

/** Packs the device for a text column of at most 40 characters, using only the names of this file. */
export function packDevice(agent: string | null) {
  const { browser, system } = deviceOf(agent)
  return `${browser ?? ""}/${system ?? ""}`
}

/** Browser and system, each null if this file does not list it. */
export const Device = z.object({
  browser: z.string().nullable(),
  system: z.string().nullable(),
})

export function unpackDevice(packed: string) {
  const [browser, system] = packed.split("/")
  return { browser: browser || null, system: system || null }
}
