import { spawn } from "node:child_process"

import { paint, say } from "./output.ts"

/** The command that opens a URL on the desktop; elsewhere `xdg-open`. */
const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
}

/** Opens a URL in the browser, or says that the user must. */
export async function openBrowser(url: string): Promise<void> {
  const [program, ...flags] = openers[process.platform] ?? ["xdg-open"]
  const child = spawn(program, [...flags, url], { stdio: "ignore", detached: true })
  await new Promise<void>((resolve) => {
    child.once("spawn", resolve)
    child.once("error", () => {
      say(paint.yellow(`${program} is not installed: open the link yourself.`))
      resolve()
    })
  })
  child.unref()
}
