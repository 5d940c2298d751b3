/** As people know it; the id is the operator's word. */
export function providerName(id: string) {
  return `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`
}
