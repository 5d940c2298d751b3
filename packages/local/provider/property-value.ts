/** Stands in a preview for a value that only the update will give. It never reaches state. */
export const unknownValue: unique symbol = Symbol("unknown")

/** What a property of a resource can hold; secrets are unwrapped, see `DecodedProperties`. */
export type Value = string | number | boolean | typeof unknownValue | Value[] | Values
export type Values = { [name: string]: Value | undefined }

export function isValues(value: Value | undefined): value is Values {
  return typeof value === "object" && !Array.isArray(value)
}

/** The path of a child as the engine writes it: `bindings[0].text`, `exports["a.b"]`. */
export function childPath(parent: string, key: string | number): string {
  if (typeof key === "number") return `${parent}[${key}]`
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`
  return parent === "" ? key : `${parent}.${key}`
}

/** Compares content; a missing name equals one that holds `undefined`. */
export function equal(left: Value | undefined, right: Value | undefined): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equal(item, right[index]))
    )
  }
  if (!isValues(left) || !isValues(right)) return false
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every((name) => equal(left[name], right[name]))
}
