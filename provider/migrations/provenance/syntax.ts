/** A part of what the parser has read. */
export type Node = Record<string, unknown> & { type: string }

export function textOf(part: unknown): string | undefined {
  if (!isNode(part)) return undefined
  const text = part["text"] ?? part["name"]
  return typeof text === "string" ? text.toLowerCase() : undefined
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value
}

export function partsOf(node: Node): unknown[] {
  return Object.entries(node).flatMap(([key, part]) => (key === "span" ? [] : [part]))
}

export function columnOf(node: Node): string | undefined {
  if (node.type === "Id" || node.type === "Name") return textOf(node)
  return node.type === "QualifiedExpr" ? textOf(node["column"]) : undefined
}
