import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import * as z from "zod"

import type { Diff, Properties } from "../resource.ts"
import { Bindings, diffBindings } from "./binding.ts"

const Lasting = z.strictObject({
  loses: z.string(),
  fix: z.string(),
  nothing: z.string(),
  /** The text that may be lost, or "any". */
  givenUp: z.string().optional(),
})

export const Inputs = z.strictObject({
  accountId: z.string().min(1),
  scriptName: z.string().min(1),
  /** What `storeBundle` returned. */
  bundle: z.string().regex(/^[0-9a-f]{64}$/, "bundle is 64 hexadecimal digits"),
  compatibilityDate: z.iso.date(),
  compatibilityFlags: z.array(z.string()),
  bindings: Bindings,
  /** Where it runs; near the caller if left out. */
  placement: z.enum(["smart"]).optional(),
  /** By binding: a text that another one must not take the place of, unless that is meant. */
  lasting: z.record(z.string(), Lasting).optional(),
  /** Milliseconds of processor time for a request; Cloudflare's default if left out. */
  cpuMs: z.int().positive().optional(),
})
export type Inputs = z.infer<typeof Inputs>

/** Bindings of inputs that may be half known, or those of somebody else's version. */
export function bindingsIn({ bindings }: Properties): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).catch({}).parse(bindings)
}

/** Cloudflare keeps flags as a set. */
function unordered(value: unknown): string {
  return Array.isArray(value) ? value.map(String).toSorted().join(" ") : String(value)
}

/** What makes another version necessary, bindings by name. */
export function diffContent(olds: Properties, news: Properties): Diff {
  const keys = ["bundle", "compatibilityDate", "compatibilityFlags", "placement", "cpuMs"]
  const changed = keys.filter((key) => unordered(olds[key]) !== unordered(news[key]))
  const settings = Object.fromEntries(changed.map((key) => [key, "update" as const]))
  if (news["bindings"] === unknownValue) return { ...settings, bindings: "update" }
  return { ...settings, ...diffBindings(bindingsIn(olds), bindingsIn(news)) }
}

/** @throws Error when people would lose what they have made with what serves, and nobody has said so */
export function expectKept(olds: Properties, news: Properties): void {
  const [before, after] = [bindingsIn(olds), bindingsIn(news)]
  const lasting = z.record(z.string(), Lasting).catch({}).parse(news["lasting"])
  for (const [name, { loses, fix, nothing, givenUp }] of Object.entries(lasting)) {
    const [was, becomes] = [textOf(before[name]), textOf(after[name])]
    const isKept = was === undefined || was === nothing || was === becomes
    if (isKept || givenUp === was || givenUp === "any") continue
    throw new Error(
      `${name} is ${was} in what serves, and would be ${becomes}: ${loses} ${was}. ${fix}`,
    )
  }
}

function textOf(binding: unknown) {
  return z.object({ text: z.string() }).safeParse(binding).data?.text
}

/** For a version whose secrets are not known: all that they may differ in. */
export function diffSecrets(news: Properties): Diff {
  const Secret = z.object({ type: z.literal("secret_text") })
  const secrets = Object.entries(bindingsIn(news)).filter(
    ([, one]) => Secret.safeParse(one).success,
  )
  if (secrets.length === 0) return { bundle: "update" }
  return Object.fromEntries(secrets.map(([name]) => [`bindings.${name}`, "update"]))
}
