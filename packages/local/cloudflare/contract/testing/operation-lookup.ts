/** Of several matching operations, the one with the fewest parameters in its path wins. */
export function createOperationLookup<T extends { method: string; path: string }>(operations: T[]) {
  const candidates = operations
    .map((operation) => ({ operation, segments: operation.path.split("/") }))
    .toSorted((a, b) => parameters(a.segments) - parameters(b.segments))

  return (method: string, path: string): T | undefined => {
    const sentSegments = path.split("/")
    return candidates.find(
      ({ operation, segments }) =>
        operation.method === method &&
        segments.length === sentSegments.length &&
        segments.every((segment, index) => segment === "{}" || segment === sentSegments[index]),
    )?.operation
  }
}

function parameters(segments: string[]): number {
  return segments.filter((segment) => segment === "{}").length
}
