import type { Changes } from "./stack.ts"

/** Such as `2 create, 8 unchanged`. */
export function summarizeChanges(changes: Changes): string {
  const { same = 0, ...made } = changes
  const parts = Object.entries(made).map(([operation, count]) => `${count} ${operation}`)
  return `${parts.length > 0 ? parts.join(", ") : "0 changes"}, ${same} unchanged`
}
