import { isDeepStrictEqual } from "node:util"

import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import * as z from "zod"

import type { Diff, Properties } from "../resource.ts"

/** Kinds of bindings, spelled as in Cloudflare's API, so that bindings made elsewhere look the same. */
const kinds = {
  d1: z.strictObject({ type: z.literal("d1"), database_id: z.string().min(1) }),
  plain_text: z.strictObject({ type: z.literal("plain_text"), text: z.string() }),
  ratelimit: z.strictObject({
    type: z.literal("ratelimit"),
    namespace_id: z.string().min(1),
    simple: z.strictObject({ limit: z.int().positive(), period: z.literal([10, 60]) }),
  }),
  secret_text: z.strictObject({ type: z.literal("secret_text"), text: z.string().min(1) }),
  version_metadata: z.strictObject({ type: z.literal("version_metadata") }),
}

/** A binding of the kinds above. */
export const OwnBinding = z.discriminatedUnion("type", [
  kinds.d1,
  kinds.plain_text,
  kinds.ratelimit,
  kinds.secret_text,
  kinds.version_metadata,
])

/** A binding of a kind that is not interpreted here, as Cloudflare's API takes it. */
type ExternalBinding = { type: string } & Record<string, unknown>
export type Binding = z.infer<typeof OwnBinding> | ExternalBinding

/** Validates the kinds above; accepts any other. */
export const Binding: z.ZodType<Binding> = z
  .looseObject({ type: z.string() })
  .superRefine((binding, context) => {
    if (!Object.hasOwn(kinds, binding.type)) return
    const issues = OwnBinding.safeParse(binding).error?.issues ?? []
    for (const issue of issues) context.addIssue({ ...issue })
  })

/** Bindings by their name in the Worker. */
const Bindings = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, "a binding's name is an identifier"),
  Binding,
)
type Bindings = z.infer<typeof Bindings>

/** A binding of any type, possibly made elsewhere. */
const Any = z.looseObject({ type: z.string() })
type Any = z.infer<typeof Any>

/** The bindings of a version as the API returns them. */
export const Found = z.array(z.looseObject({ name: z.string(), type: z.string() }))

/** Cloudflare never returns the text of a secret. */
const unreadable = ""

/**
 * Returns bindings by name, without the keys that Cloudflare adds. Secrets get their recorded text,
 * because the API does not return it.
 */
export function readBindings(
  bindings: z.infer<typeof Found>,
  recordedBindings: Record<string, unknown>,
): Record<string, Any> {
  return Object.fromEntries(
    bindings.map(({ name, ...binding }) => [name, readBinding(binding, recordedBindings[name])]),
  )
}

function readBinding(binding: Any, recordedBinding: unknown): Any {
  switch (binding.type) {
    case "d1":
      return { type: "d1", database_id: databaseIdOf(binding) }
    case "secret_text": {
      const before = kinds.secret_text.safeParse(recordedBinding)
      return { type: "secret_text", text: before.data?.text ?? unreadable }
    }
    default: {
      const kind = new Map<string, z.ZodObject>(Object.entries(kinds)).get(binding.type)
      if (kind === undefined) return sameKeys(binding, recordedBinding)
      return Any.safeParse(kind.strip().safeParse(binding).data).data ?? binding
    }
  }
}

/**
 * Returns the keys that were sent, with their current values, for a kind that is not interpreted here.
 * Drops keys that Cloudflare adds. Keys that it hides, such as a secret key, keep the value that was sent.
 */
function sameKeys(binding: Any, recordedBinding: unknown): Any {
  const sentBinding = Any.safeParse(recordedBinding).data
  if (sentBinding?.type !== binding.type) return binding
  const values = Object.entries(sentBinding).map(
    ([key, value]) => [key, binding[key] ?? value] as const,
  )
  return { ...Object.fromEntries(values), type: binding.type }
}

/** Reads either name of the key: `id` is the former name. */
export function databaseIdOf(binding: Any): string | undefined {
  const id = binding["database_id"] ?? binding["id"]
  return typeof id === "string" ? id : undefined
}

/** Returns the differences by binding name. */
export function diffBindings(olds: Record<string, unknown>, news: Record<string, unknown>): Diff {
  const names = new Set([...Object.keys(olds), ...Object.keys(news)])
  const changes = [...names].flatMap((name) => {
    const [before, after] = [olds[name], news[name]]
    if (isDeepStrictEqual(before, after)) return []
    const kind = before === undefined ? "add" : after === undefined ? "delete" : "update"
    return [[`bindings.${name}`, kind] as const]
  })
  return Object.fromEntries(changes)
}

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
  /** The result of `storeBundle`. */
  bundle: z.string().regex(/^[0-9a-f]{64}$/, "bundle is 64 hexadecimal digits"),
  compatibilityDate: z.iso.date(),
  compatibilityFlags: z.array(z.string()),
  bindings: Bindings,
  /** Where the Worker runs; near the caller if undefined. */
  placement: z.enum(["smart"]).optional(),
  /** By binding name: a text that must not change, unless `givenUp` names it. */
  lasting: z.record(z.string(), Lasting).optional(),
  /** Milliseconds of processor time for a request; Cloudflare's default if left out. */
  cpuMs: z.int().positive().optional(),
})
export type Inputs = z.infer<typeof Inputs>

/** Reads bindings of inputs that may be partly known, or of a version from elsewhere. */
export function bindingsIn({ bindings }: Properties): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).catch({}).parse(bindings)
}

/** Cloudflare keeps flags as a set. */
function unordered(value: unknown): string {
  return Array.isArray(value) ? value.map(String).toSorted().join(" ") : String(value)
}

/** Compares the inputs whose change requires a new version, bindings by name. */
export function diffContent(olds: Properties, news: Properties): Diff {
  const keys = ["bundle", "compatibilityDate", "compatibilityFlags", "placement", "cpuMs"]
  const changed = keys.filter((key) => unordered(olds[key]) !== unordered(news[key]))
  const settings = Object.fromEntries(changed.map((key) => [key, "update" as const]))
  if (news["bindings"] === unknownValue) return { ...settings, bindings: "update" }
  return { ...settings, ...diffBindings(bindingsIn(olds), bindingsIn(news)) }
}

/** @throws Error when users would lose data of the live version, and the loss is not declared */
export function expectKept(olds: Properties, news: Properties): void {
  const [before, after] = [bindingsIn(olds), bindingsIn(news)]
  const lasting = z.record(z.string(), Lasting).catch({}).parse(news["lasting"])
  for (const [name, { loses, fix, nothing, givenUp }] of Object.entries(lasting)) {
    const [valueBefore, becomes] = [textOf(before[name]), textOf(after[name])]
    const isKept = valueBefore === undefined || valueBefore === nothing || valueBefore === becomes
    if (isKept || givenUp === valueBefore || givenUp === "any") continue
    throw new Error(
      `${name} is ${valueBefore} in what serves, and would be ${becomes}: ${loses} ${valueBefore}. ${fix}`,
    )
  }
}

function textOf(binding: unknown) {
  return z.object({ text: z.string() }).safeParse(binding).data?.text
}

/** Lists all possible differences to a version whose secrets are not known. */
export function diffSecrets(news: Properties): Diff {
  const Secret = z.object({ type: z.literal("secret_text") })
  const secrets = Object.entries(bindingsIn(news)).filter(
    ([, binding]) => Secret.safeParse(binding).success,
  )
  if (secrets.length === 0) return { bundle: "update" }
  return Object.fromEntries(secrets.map(([name]) => [`bindings.${name}`, "update"]))
}
