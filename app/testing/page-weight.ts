import { gzipSync } from "node:zlib"

type Fetched = { status: number; type: string; text: string }

/** Bytes of a page with all that it loads from its own origin, and how many requests that takes. */
type PageWeight = {
  path: string
  page: number
  gzipped: number
  all: number
  requests: number
}

/** What the browser asks for by itself: a stylesheet or a script. Links and forms wait for somebody. */
const loaded = /<(?:link rel="stylesheet" href|script src|img src)="(\/[^"]*)"/g

/**
 * Weighs each page for whoever it shows something: nobody, or else an owner. Some lead elsewhere, or need a
 * payment; they have no weight. `gzipped` and `all` are as gzip (level 6) makes them.
 */
export async function weighPages(
  { paths, id }: { paths: string[]; id: string },
  open: (path: string, isSignedIn: boolean) => Promise<Fetched>,
) {
  const weights: PageWeight[] = []
  for (const path of paths) {
    const at = path.replace(":id", id)
    const shown = [await open(at, false), await open(at, true)].find(isPage)
    if (shown === undefined) continue
    const parts = new Set([...shown.text.matchAll(loaded)].map(([, part = ""]) => part))
    const texts = await Promise.all([...parts].map(async (part) => (await open(part, false)).text))
    const gzipped = gzippedSize(shown.text)
    const all = texts.reduce((sum, one) => sum + gzippedSize(one), gzipped)
    const page = new TextEncoder().encode(shown.text).byteLength
    weights.push({ path, page, gzipped, all, requests: 1 + parts.size })
  }
  return weights
}

function isPage({ status, type }: Fetched) {
  return status === 200 && type.startsWith("text/html")
}

function gzippedSize(text: string) {
  return gzipSync(text, { level: 6 }).byteLength
}
