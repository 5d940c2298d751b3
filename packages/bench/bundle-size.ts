import { weighBundle } from "../../app/testing/bundle.ts"
import { markdownTable } from "../tools/documents/pages.ts"
import { publish } from "./report.ts"

/** Packages with a smaller share are added up in one row. */
const smallestShare = 0.015

export async function benchBundle({ write }: { write?: boolean }): Promise<void> {
  const { minified, gzipped, late, parts } = await weighBundle()
  const largest = parts.filter(([, kib]) => kib >= minified * smallestShare)
  const rest = parts.slice(largest.length).reduce((sum, [, kib]) => sum + kib, 0)
  const row = (name: string, kib: number) => [
    name,
    kib.toFixed(1),
    `${((kib / minified) * 100).toFixed(0)} %`,
  ]
  const later = `${late.minified.toFixed(1)} KiB minified, ${late.gzipped.toFixed(1)} KiB gzipped`
  const size = `An isolate starts with **${minified.toFixed(1)} KiB** minified, **${gzipped.toFixed(1)} KiB** gzipped, and loads ${later} later.`
  const table = markdownTable(
    ["part", "KiB minified", "share"],
    [
      ...largest.map(([name, kib]) => row(name === "app" ? "this service's own code" : name, kib)),
      row(`${parts.length - largest.length} smaller ones`, rest),
    ],
  )
  publish({ page: "bundle.md", measured: `${size}\n\n${table}`, write })
}
