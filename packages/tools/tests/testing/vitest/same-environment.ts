import { afterAll } from "vitest"

// Files share a process, so a variable that one of them leaves behind would steer those after it.
// Deploying takes those of the caller away that are not meant for the stack.
const before = { ...process.env }

afterAll(() => {
  const changed = Object.keys(process.env).filter((name) => process.env[name] !== before[name])
  if (changed.length === 0) return
  throw new Error(`This file set environment variables and left them so: ${changed.join(", ")}`)
})
