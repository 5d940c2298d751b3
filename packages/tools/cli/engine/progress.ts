/** Where an engine comes from. */
export type EngineSource = "option" | "path" | "cache" | "download" | "build"

export type EngineProgress =
  /** A source that failed; the next one is tried. */
  | { phase: "skipped"; source: EngineSource; reason: string }
  /** Another process is adding the same engine to the same cache. */
  | { phase: "waiting" }
  | { phase: "downloading" }
  | { phase: "building" }
  | { phase: "verifying" }
  /** Pulumi downloads the official Cloudflare provider. */
  | { phase: "provider" }
  /** Found, created or failed: the last event. */
  | { phase: "done" }

export type OnProgress = (progress: EngineProgress) => void
