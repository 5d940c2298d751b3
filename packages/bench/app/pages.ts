import { build } from "esbuild"
import * as z from "zod"

import { weighPages } from "../../../app/testing/page-weight.ts"
import { bundling } from "../../../infra/bundle.ts"
import { root } from "../../tools/base/root.ts"
import { markdownTable } from "../../tools/documents/pages.ts"
import { compare, type Comparison } from "../compare.ts"
import { processorTimeOf, workerdsOf } from "../processor-time.ts"
import { publish, startFacts } from "../report.ts"
import { openWorkerd } from "../workerd.ts"
import { clientHeaders, signUp } from "./calls.ts"
import { service } from "./subject.ts"

const name = "accounts"
/** Headers of a browser that follows a link between the pages. */
const browser = { "accept-language": "en", "sec-fetch-site": "same-origin" }

/** Each page beside what a front end would ask the API for in its place; the first is the measure. */
const compared = [
  { page: "/sign-in", answers: ["/api/v1/settings"], isSignedIn: false },
  { page: "/account", answers: ["/api/v1/whoami", "/api/v1/getProfile"], isSignedIn: true },
  { page: "/account/devices", answers: ["/api/auth/list-sessions"], isSignedIn: true },
  { page: "/admin", answers: ["/api/v1/listUsers"], isSignedIn: true },
]

/** Weighs every page, and compares the time until some of them answer with the API's. */
export async function benchPages({ rounds, write }: { rounds: number; write?: boolean }) {
  const factsUntilNow = startFacts()
  await using instance = await openWorkerd([await service(name, { pages: true })])
  const cookie = await signUp(instance, name)
  const database = instance.databases.get(name)
  const owner = await database?.prepare("update user set role = 'owner' returning id").first("id")
  const origin = instance.addressOf(name)

  const subject = { paths: await listPaths(), id: String(owner) }
  const weights = await weighPages(subject, async (path, isSignedIn) => {
    const headers = { ...clientHeaders, ...browser, ...(isSignedIn && { cookie }) }
    const answer = await fetch(origin + path, { headers, redirect: "manual" })
    const type = answer.headers.get("content-type") ?? ""
    return { status: answer.status, type, text: await answer.text() }
  })
  const rows = weights.map(({ path, page, gzipped, all, requests }) => {
    const sizes = [page, gzipped, all].map((bytes) => (bytes / 1000).toFixed(1))
    return [`\`${path}\``].concat(sizes, String(requests))
  })
  const table = markdownTable(["page", "KB", "gzipped", "with all it loads", "requests"], rows)
  publish({ page: "pages.md", measured: table, write })

  const processorTime = () => processorTimeOf(workerdsOf("self"))
  const comparisons = compared.map(({ page, answers, isSignedIn }): Comparison => {
    const headers = { ...clientHeaders, ...browser, ...(isSignedIn && { cookie }) }
    const ways = [...answers, page].map((path) => ({
      title: path === page ? "the page" : `\`${path}\``,
      call: { url: origin + path, headers, connections: 1 },
      processorTime,
    }))
    return { request: `\`${page}\``, requests: 150, ways }
  })
  const ratios = markdownTable(...(await compare(comparisons, rounds, "the API")))
  const measured = `${factsUntilNow()}; rounds: ${rounds}.\n\n${ratios}`
  publish({ part: "pages", measured, write })
}

const Pages = z.array(z.object({ path: z.string() }))

/** Node does not read the JSX of the pages. */
async function listPaths(): Promise<string[]> {
  const { outputFiles } = await build({
    ...bundling,
    absWorkingDir: root,
    entryPoints: ["app/pages.ts"],
    splitting: false,
    platform: "node",
    plugins: [],
    write: false,
  })
  const text = Buffer.from(outputFiles[0]?.contents ?? "").toString("base64")
  const { pages }: { pages: unknown } = await import(`data:text/javascript;base64,${text}`)
  return Pages.parse(pages).map(({ path }) => path)
}
