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

/** Resources that the browser loads without a click: a stylesheet or a script. */
const loaded = /<(?:link rel="stylesheet" href|script src|img src)="(\/[^"]*)"/g

/**
 * Weighs each page for a reader who may see it: signed out, otherwise an owner. Pages that redirect or need a
 * payment have no weight. `gzipped` and `all` use gzip (level 6).
 */
export async function weighPages(
  { paths, id }: { paths: string[]; id: string },
  open: (path: string, isSignedIn: boolean) => Promise<Fetched>,
) {
  const weights: PageWeight[] = []
  for (const path of paths) {
    const at = path.replace(":id", id)
    const visible = [await open(at, false), await open(at, true)].find(isPage)
    if (visible === undefined) continue
    const parts = new Set([...visible.text.matchAll(loaded)].map(([, part = ""]) => part))
    const texts = await Promise.all([...parts].map(async (part) => (await open(part, false)).text))
    const gzipped = gzippedSize(visible.text)
    const total = texts.reduce((sum, part) => sum + gzippedSize(part), gzipped)
    const page = new TextEncoder().encode(visible.text).byteLength
    weights.push({ path, page, gzipped, all: total, requests: 1 + parts.size })
  }
  return weights
}

function isPage({ status, type }: Fetched) {
  return status === 200 && type.startsWith("text/html")
}

function gzippedSize(text: string) {
  return gzipSync(text, { level: 6 }).byteLength
}
