import { isValues, type Value, type Values } from "./property-value.ts"

/** Restores what Cloudflare's response lacks: the program's order, and texts that are never returned. */
export function keepFromPriorState(state: Values, prior: Values): Values {
  const kept: Values = { ...state }
  for (const name of ["bindings", "schedules"]) {
    kept[name] = inOrderOf(prior[name], state[name])
  }
  kept.bindings = withTextsOf(prior.bindings, kept.bindings)
  return kept
}

/** Sorts bindings by name, as Cloudflare returns them. */
export function sortBindings(version: Values): Values {
  if (!Array.isArray(version.bindings)) return version
  const bindings = version.bindings.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  return { ...version, bindings }
}

/** Puts known members in the order of the prior state, new ones last. */
function inOrderOf(prior: Value | undefined, members: Value | undefined): Value | undefined {
  if (!Array.isArray(prior) || !Array.isArray(members)) return members
  const order = prior.map(keyOf)
  const place = (member: Value) => {
    const index = order.indexOf(keyOf(member))
    return index === -1 ? order.length : index
  }
  return members.toSorted((left, right) => place(left) - place(right))
}

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

/** A binding is identified by its name, a schedule by its cron expression. */
function keyOf(member: Value): string {
  const key = isValues(member) ? (member.name ?? member.cron) : member
  return typeof key === "string" ? key : ""
}
