import { findLocal } from "../running-local.ts"
import { serveFrontEnd } from "./serve.ts"

try {
  const { api, port } = findLocal()
  const { url } = await serveFrontEnd({ port, api: () => api })
  process.stdout.write(`${url}\n`)
} catch (error) {
  process.stderr.write(`${String(error)}\n`)
  process.exitCode = 1
}
