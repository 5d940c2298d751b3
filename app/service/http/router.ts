import { HonoBase } from "hono/hono-base"
import { TrieRouter } from "hono/router/trie-router"

import type { HonoEnv } from "./hono-env.ts"

/** Hono with one router: its default brings four, and compiles them for the first request. */
export function createRouter() {
  return new HonoBase<HonoEnv>({ router: new TrieRouter() })
}
