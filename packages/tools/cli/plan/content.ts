import { signatureKey, unknownValue } from "@accounts-stack/pulumi-host/properties"
import * as z from "zod"

import { counted } from "../../base/counted.ts"
import { Binding, OwnBinding, diffBindings } from "../../deploy/version/inputs.ts"
import { parseSchemaUse, schemaUseBinding } from "../../deploy/version/schema-use.ts"
import { isPlainBinding } from "../../environment/bindings.ts"
import type { Properties, Step } from "./step.ts"

const Marked = z.looseObject({ [signatureKey]: z.string() })
const SecretText = z.looseObject({ type: z.literal("secret_text") })
const Bindings = z.record(z.string(), z.unknown())

type BindingChange = { name: string; before: string | undefined; after: string | undefined }
type SecretChange = { name: string; change: "added" | "changed" | "removed" }

export type Content = {
  bindings: BindingChange[]
  secrets: SecretChange[]
  /** Settings of the version that change, such as its compatibility date. */
  settings: BindingChange[]
  /** Names of all bindings that the version will have. */
  bound: string[]
  /** Whether the engine hid all bindings at once, so that their changes are unknown. */
  hidden: boolean
}

/** Inputs of a version that are not settings. */
const shownElsewhere = new Set(["accountId", "scriptName", "bundle", "bindings", "lasting"])

/**
 * Compares the next version with the live version. Changes of secrets come from the provider, which knows their
 * values; other changes come from the values that the engine shows.
 */
export function compareContent(step: Step | undefined): Content {
  const nothing = { bindings: [], secrets: [], settings: [], bound: [], hidden: false }
  if (step === undefined || step.operation === "same") return nothing
  const [before, after] = [step.before?.inputs ?? {}, step.after?.inputs ?? {}]
  const [olds, news] = [bindingsIn(before), bindingsIn(after)]
  if (olds === undefined || news === undefined) return { ...nothing, hidden: true }
  const secretNames = Object.keys(step.differences).flatMap(
    (path) => /^bindings\.([A-Za-z_]\w*)/.exec(path)?.[1] ?? [],
  )
  const compared = Object.keys(diffBindings(olds, news)).map((path) =>
    path.replace("bindings.", ""),
  )
  const names = [...new Set([...secretNames, ...compared])].toSorted()
  const isSecret = (name: string) => isHidden(olds[name]) || isHidden(news[name])
  return {
    bindings: names
      .filter((name) => !isSecret(name))
      .map((name) => ({
        name,
        before: describeBinding(name, olds[name]),
        after: describeBinding(name, news[name]),
      })),
    secrets: names.filter(isSecret).map((name) => ({
      name,
      change: !(name in olds) ? "added" : name in news ? "changed" : "removed",
    })),
    settings: [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((name) => !shownElsewhere.has(name))
      .toSorted()
      .map((name) => ({ name, before: describe(before[name]), after: describe(after[name]) }))
      .filter((setting) => setting.before !== setting.after),
    bound: Object.keys(news).toSorted(),
    hidden: "bindings" in step.differences,
  }
}

/** Returns undefined if the engine hides the bindings as a whole. */
function bindingsIn({ bindings }: Properties): Record<string, unknown> | undefined {
  if (bindings === undefined) return {}
  if (Marked.safeParse(bindings).success) return undefined
  return Bindings.safeParse(bindings).data
}

/** Whether a binding may contain a secret: the engine marked it, or does not know it yet as a whole. */
function isHidden(binding: unknown): boolean {
  return (
    (binding !== undefined && typeof binding !== "object") ||
    Marked.safeParse(binding).success ||
    SecretText.safeParse(binding).success
  )
}

/** Hides the text of a variable that this project does not declare: it may be a secret that a user added. */
export function describeBinding(name: string, binding: unknown): string | undefined {
  const isOpen = typeof binding === "object" && binding !== null
  const { type = "plain_text" } = Binding.safeParse(binding).data ?? {}
  const isUndeclared = isOpen && type === "plain_text" && !isPlainBinding(name)
  const text = isUndeclared ? "a value" : describe(binding)
  const use = name === schemaUseBinding ? parseSchemaUse(text) : undefined
  if (use === undefined) return text
  const columns = Object.values(use.tables).flat().length
  const tables = Object.keys(use.tables).length
  return `built with ${use.head}, uses ${counted(tables, "table")} and ${counted(columns, "column")}`
}

export function describe(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (value === unknownValue) return "known after up"
  const { data } = OwnBinding.safeParse(value)
  if (data === undefined) return typeof value === "string" ? value : describeExternal(value)
  if (data.type === "plain_text") return data.text
  if (data.type === "d1") {
    return `d1 ${data.database_id === unknownValue ? "that is made" : data.database_id}`
  }
  if (data.type !== "ratelimit") return data.type
  return `${data.simple.limit} per ${data.simple.period} s, namespace ${data.namespace_id}`
}

/** Properties of an undeclared binding that identify a resource. Others stay hidden, because they may be secret. */
const naming = /(?:^|_)(?:dataset|entrypoint|id|name|service)$/

/** Describes a binding of an unknown type: its type, and the resources that it identifies. */
function describeExternal(value: unknown): string {
  const { data } = Binding.safeParse(value)
  if (data === undefined) return JSON.stringify(value)
  const { type, ...properties } = data
  const identifying = Object.entries(properties).filter(([key]) => naming.test(key))
  if (identifying.length === 0 && Object.keys(properties).length > 0) return "a value"
  const textOf = (part: unknown) => (part === unknownValue ? "known after up" : String(part))
  const parts = identifying.map(([key, part]) => `${key} ${textOf(part)}`)
  return [type, parts.join(", ")].join(" ").trim()
}
