import { rejectPortInUse } from "../daemon/listen.ts"
import { ProcessStartError } from "../daemon/process-start-error.ts"
import type { Authority } from "./authority.ts"
import { createCertificates } from "./certificates.ts"
import { type Edge, type EdgeOptions, openEdge } from "./edge.ts"

type EdgeListenersOptions = {
  /** 0 picks any free port, as for HTTPS. */
  http: number
  /** Unless `required`, a taken port is replaced by any free one. */
  https: { port: number; required: boolean }
  authority: Authority
  edge: Omit<EdgeOptions, "port" | "certificates">
  /** Whether a Worker may answer on the host. Only such hosts get a certificate. */
  routes: (hostname: string) => boolean
  onLog: (line: string) => void
}

/** @throws ProcessStartError PORT_IN_USE */
export async function openEdgeListeners(options: EdgeListenersOptions) {
  const plain = await rejectPortInUse({ port: options.http, flag: "--port" }, () =>
    openEdge({ ...options.edge, port: options.http }),
  )
  try {
    const secure = await openSecure(options)
    return {
      http: plain.port,
      https: secure.port,
      close: async () => {
        await Promise.all([plain.close(), secure.close()])
      },
    }
  } catch (error) {
    await plain.close()
    throw error
  }
}

async function openSecure({
  https,
  authority,
  edge,
  routes,
  onLog,
}: EdgeListenersOptions): Promise<Edge> {
  const certificates = createCertificates(authority, routes)
  const openAt = (port: number) =>
    rejectPortInUse({ port, flag: "--https-port" }, () => openEdge({ ...edge, port, certificates }))
  try {
    return await openAt(https.port)
  } catch (error) {
    if (https.required || !(error instanceof ProcessStartError)) throw error
    const secure = await openAt(0)
    onLog(`Port ${https.port} is taken by another program; HTTPS is on port ${secure.port}`)
    return secure
  }
}
