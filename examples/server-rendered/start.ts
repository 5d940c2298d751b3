import { findLocal } from "../running-local.ts"
import { serveRendered } from "./serve.ts"

try {
  const { api, port } = findLocal()
  const { url } = await serveRendered(port, () => ({ api }))
  process.stdout.write(`${url}\n`)
} catch (error) {
  process.stderr.write(`${String(error)}\n`)
  process.exitCode = 1
}
