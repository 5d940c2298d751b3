export type RingBuffer<T> = { add(item: T): void; items(): T[] }

export function createRingBuffer<T>(capacity: number): RingBuffer<T> {
  const items: T[] = []
  return {
    add(item) {
      items.push(item)
      if (items.length > capacity) items.shift()
    },
    items: () => items,
  }
}
