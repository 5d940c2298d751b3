/** What a URN says: the type, such as `cloudflare:index/worker:Worker`, and the logical name. */
export function readUrn(urn: string): { type: string; kind: string; name: string } {
  const [, , types = "", ...name] = urn.split("::")
  const type = types.split("$").at(-1) ?? ""
  return { type, kind: type.split(":").at(-1) ?? type, name: name.join("::") }
}

/** Components and providers: they structure the program and deploy nothing themselves. */
export function isInternal(urn: string): boolean {
  return /^(?:pulumi:|accounts:infra:)/.test(readUrn(urn).type)
}
