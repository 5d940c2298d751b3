/** An engine that was found, with the settings of one backend. */
export type Engine = {
  /** Path of the engine's executable. */
  command: string
  version: string
  /** Added to this process's environment for every call of the engine. */
  environment: Record<string, string>
  /** Whether its Cloudflare provider is certainly the stand-in. */
  standIn?: boolean
}
