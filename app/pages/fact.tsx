import type { Child } from "hono/jsx"

/** One thing that is known, in a `dl`. */
export function Fact({ name, children }: { name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
