import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const file = "web-port"

/** Every command on this state directory then leads to the front end there; with 0, where the stack file does. */
export function keepWebPort(state: string, port: number): void {
  if (port === 0) return rmSync(join(state, file), { force: true })
  mkdirSync(state, { recursive: true, mode: 0o700 })
  writeFileSync(join(state, file), String(port), { mode: 0o600 })
}

/** Undefined if the stack file's port was not replaced. */
function keptWebPort(state: string): string | undefined {
  const path = join(state, file)
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

/** The front end's origin of the stack file, at the chosen port. */
export function webOriginHere(written: string, state: string): string {
  const web = new URL(written)
  web.port = keptWebPort(state) ?? web.port
  return web.origin
}

/** Where the front end's own server listens, which the edge asks for all that is not the Worker's. */
export function frontEndServer(state: string): string {
  return `localhost:${keptWebPort(state) ?? "5173"}`
}
