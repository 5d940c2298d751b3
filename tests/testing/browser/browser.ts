import { createServer } from "node:http"

import { chromium, type Browser, type Page } from "playwright-core"

import { findOnPath } from "../../../cli/engine/find-on-path.ts"

/** A real browser's executable: CHROMIUM, or the first of its usual names on PATH. */
async function findBrowser(env = process.env): Promise<string | undefined> {
  if (env["CHROMIUM"]) return env["CHROMIUM"]
  for (const name of ["chromium", "google-chrome"]) {
    const path = await findOnPath(name, env)
    if (path) return path
  }
  return undefined
}

/** Why tests in a browser cannot run here; undefined where they can, and where they must. */
export async function browserMissing(env = process.env): Promise<string | undefined> {
  if (env["REQUIRE_BROWSER"] === "1" || (await findBrowser(env))) return undefined
  return "there is no chromium or google-chrome on PATH, and CHROMIUM is not set"
}

/**
 * @param rules host-resolver-rules: names that the browser takes for other addresses
 * @param flags further flags of Chromium
 */
export async function openBrowser(rules: string, ...flags: string[]): Promise<Browser> {
  const executablePath = await findBrowser()
  if (!executablePath) throw new Error("REQUIRE_BROWSER=1, and there is no browser: set CHROMIUM")
  return await chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=${rules}`,
      ...flags,
    ],
  })
}

/** A site on this machine with one empty page, whatever host name leads to it. */
export async function openSite(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>site</title>")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    port: typeof address === "object" && address ? address.port : 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Attempt = {
  url: string
  method?: "GET" | "POST"
  headers?: Record<string, string>
  body?: string
  credentials?: "include" | "omit"
  mode?: "cors" | "no-cors"
}

/** What a page's script got to see of an answer; "no answer" after 15 s without one. */
export type Seen = { status: number; text: string } | "nothing" | "no answer"

/** Asks from within a page, as its own script would. */
export function fetchFrom(page: Page, attempt: Attempt): Promise<Seen> {
  return page.evaluate(async ({ url, ...init }): Promise<Seen> => {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(15_000) })
      if (response.type === "opaque") return "nothing"
      return { status: response.status, text: await response.text() }
    } catch (error) {
      return error instanceof DOMException && error.name === "TimeoutError"
        ? "no answer"
        : "nothing"
    }
  }, attempt)
}
