import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const file = "web-port"

/** Stores the front end's port for every command on this state directory; 0 restores the stack file's port. */
export function keepWebPort(state: string, port: number): void {
  if (port === 0) return rmSync(join(state, file), { force: true })
  mkdirSync(state, { recursive: true, mode: 0o700 })
  writeFileSync(join(state, file), String(port), { mode: 0o600 })
}

/** Returns undefined if no port is stored. */
function keptWebPort(state: string): string | undefined {
  const path = join(state, file)
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

/** Returns the front end's origin in the stack file, with the stored port if there is one. */
export function webOriginHere(written: string, state: string): string {
  const web = new URL(written)
  web.port = keptWebPort(state) ?? web.port
  return web.origin
}

/** Returns the address of the front end's server, to which the edge forwards requests that are not the Worker's. */
export function frontEndServer(state: string): string {
  return `localhost:${keptWebPort(state) ?? "5173"}`
}
