import type { Changes } from "./stack.ts"

/** One phrase for what an operation did, such as `2 create, 8 unchanged`. */
export function summary(changes: Changes): string {
  const { same = 0, ...made } = changes
  const parts = Object.entries(made).map(([operation, count]) => `${count} ${operation}`)
  return `${parts.length > 0 ? parts.join(", ") : "0 changes"}, ${same} unchanged`
}
