/** The last so many of what was added; memory alone. */
export type Ring<T> = { add(item: T): void; items(): T[] }

export function createRing<T>(capacity: number): Ring<T> {
  const items: T[] = []
  return {
    add(item) {
      items.push(item)
      if (items.length > capacity) items.shift()
    },
    items: () => items,
  }
}
