/** One way to an engine; its name appears in errors and in `Engine.source`. */
export type EngineSource = "option" | "path" | "cache" | "download" | "build"

export type EngineProgress =
  /** A way that was tried and led nowhere; the next one follows. */
  | { phase: "skipped"; source: EngineSource; reason: string }
  /** Another process is putting the same engine into the same cache. */
  | { phase: "waiting" }
  | { phase: "downloading" }
  /** Go is fetching source modules; `modules` counts those fetched in this run. */
  | { phase: "fetching"; modules: number }
  /** `reused` of the `done` packages were compiled by an earlier run. */
  | { phase: "compiling"; done: number; total: number; reused: number }
  | { phase: "linking" }
  | { phase: "verifying" }
  /** Pulumi is fetching the official Cloudflare provider. */
  | { phase: "provider" }
  /** Found, made or failed: nothing more will come. */
  | { phase: "done" }

export type OnProgress = (progress: EngineProgress) => void
