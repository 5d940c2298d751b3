import { isValues, type Value, type Values } from "./value.ts"

/** What state knows better than an answer of Cloudflare: order, and texts that are never returned. */
export function keepPrior(state: Values, prior: Values): Values {
  const kept: Values = { ...state }
  for (const name of ["bindings", "schedules"]) {
    kept[name] = inOrderOf(prior[name], state[name])
  }
  kept.bindings = withTextsOf(prior.bindings, kept.bindings)
  return kept
}

/** As Cloudflare returns them, whatever order the program has. */
export function sortBindings(version: Values): Values {
  if (!Array.isArray(version.bindings)) return version
  const bindings = version.bindings.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  return { ...version, bindings }
}

/** Members that state has first, in its order; new ones last. */
function inOrderOf(prior: Value | undefined, members: Value | undefined): Value | undefined {
  if (!Array.isArray(prior) || !Array.isArray(members)) return members
  const order = prior.map(keyOf)
  const place = (member: Value) => {
    const index = order.indexOf(keyOf(member))
    return index === -1 ? order.length : index
  }
  return members.toSorted((left, right) => place(left) - place(right))
}

/** The text of a secret is what state says, or is not known at all. */
function withTextsOf(prior: Value | undefined, bindings: Value | undefined): Value | undefined {
  if (!Array.isArray(prior) || !Array.isArray(bindings)) return bindings
  const texts = new Map<string, Value | undefined>()
  for (const binding of prior) {
    if (isValues(binding) && hasText(binding)) texts.set(keyOf(binding), binding.text)
  }
  return bindings.map((binding) => {
    if (!isValues(binding) || !hasText(binding)) return binding
    const kept: Values = { ...binding, text: texts.get(keyOf(binding)) ?? binding.text }
    return kept
  })
}

function hasText({ type }: Values): boolean {
  return type === "secret_text" || type === "plain_text"
}

/** What makes a binding or a schedule the same one: its name, or its times. */
function keyOf(member: Value): string {
  const key = isValues(member) ? (member.name ?? member.cron) : member
  return typeof key === "string" ? key : ""
}
