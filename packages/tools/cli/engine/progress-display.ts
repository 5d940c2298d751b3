import { engineVersion, providerVersion } from "./pinned-versions.ts"
import { type EngineProgress, type OnProgress } from "./progress.ts"

/** The part of `process.stderr` that progress uses. */
export type Screen = {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

const plainInterval = 15_000
const liveInterval = 1_000

/** Displays progress: one live line on a terminal, elsewhere a line per phase and every 15 seconds. */
export function engineProgress(screen: Screen = process.stderr): OnProgress {
  const started = performance.now()
  const live = screen.isTTY === true
  const say = (text: string) => screen.write(live ? `\r\u001B[2K${text}\n` : `${text}\n`)
  let current: EngineProgress | undefined
  let timer: NodeJS.Timeout | undefined

  const draw = () => {
    if (!current) return
    const text = `${describe(current)} (${elapsed(performance.now() - started)})`
    // A line that wraps cannot be overwritten.
    screen.write(live ? `\r\u001B[2K${text.slice(0, (screen.columns || 80) - 1)}` : `${text}\n`)
  }
  const stop = () => {
    clearInterval(timer)
    timer = undefined
    if (live && current) screen.write("\r\u001B[2K")
    current = undefined
  }

  return (progress) => {
    if (progress.phase === "done") {
      stop()
      return
    }
    if (progress.phase === "skipped") {
      say(progress.reason)
      return
    }
    const entered = current?.phase !== progress.phase
    current = progress
    timer ??= setInterval(draw, live ? liveInterval : plainInterval).unref()
    if (live || entered) draw()
  }
}

function describe(progress: EngineProgress): string {
  switch (progress.phase) {
    case "waiting":
      return "Waiting for another process that is getting the Pulumi engine"
    case "downloading":
      return `Downloading the Pulumi engine ${engineVersion}`
    case "building":
      return `Building the Pulumi engine ${engineVersion} from its Go modules, once, about seven minutes on two cores`
    case "verifying":
      return "Verifying the engine"
    case "provider":
      return `Downloading Pulumi's Cloudflare provider ${providerVersion}`
    case "skipped":
    case "done":
      return ""
    default:
      return progress satisfies never
  }
}

function elapsed(milliseconds: number) {
  const seconds = Math.floor(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}
