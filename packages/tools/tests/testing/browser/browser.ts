import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { chromium, type Browser, type Page } from "playwright-core"

import { findOnPath } from "../../../cli/engine/executable.ts"

/** The first is Chromium without its window, tabs and menus, which takes two thirds of the time. */
const names = ["chromium-headless-shell", "chromium", "google-chrome"]

/** Path of the browser: CHROMIUM, or the first usual name on PATH. */
async function findBrowser(env = process.env): Promise<string | undefined> {
  if (env["CHROMIUM"]) return env["CHROMIUM"]
  for (const name of names) {
    const path = await findOnPath(name, env)
    if (path) return path
  }
  return undefined
}

/** The reason why browser tests cannot run here; undefined if they can, or if REQUIRE_BROWSER=1. */
export async function browserMissing(env = process.env): Promise<string | undefined> {
  if (env["REQUIRE_BROWSER"] === "1" || (await findBrowser(env))) return undefined
  return `there is no ${names.join(", ")} on PATH, and CHROMIUM is not set`
}

/**
 * @param rules host-resolver-rules: maps host names to addresses
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

/** A site on this machine that serves one empty page under every host name. */
export function openSite() {
  return serve((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>site</title>")
  })
}

export type Attempt = {
  url: string
  method?: "GET" | "POST"
  headers?: Record<string, string>
  body?: string
  credentials?: "include" | "omit"
  mode?: "cors" | "no-cors"
}

/** The part of a response that a page's script can read; "no answer" after 15 s. */
export type Seen = { status: number; text: string } | "nothing" | "no answer"

/** Calls `fetch` inside a page, as its own script would. */
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
