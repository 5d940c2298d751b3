import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { resources } from "../resources.ts"
import { providerPage } from "./page.ts"
import { rowsOf } from "./row.ts"

/** A checkout of terraform-provider-cloudflare 5.22.0, if there is one. */
const { TERRAFORM_PROVIDER_CLOUDFLARE: checkout = "" } = process.env

test("docs/cloudflare-provider.md matches the table (npm run fix writes it)", () => {
  const page = readFileSync(
    join(import.meta.dirname, "../../../../docs/cloudflare-provider.md"),
    "utf8",
  )
  expect(unaligned(page)).toBe(unaligned(providerPage()))
})

/** Undoes the formatter's alignment of tables. */
function unaligned(page: string): string {
  return page.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---")
}

test.skipIf(!existsSync(join(checkout, "internal/services")))(
  "each line of the table is the one of the provider's source (skipped without TERRAFORM_PROVIDER_CLOUDFLARE)",
  () => {
    for (const { source, fields } of Object.values(resources)) {
      const { folder, ...verbs } = source
      const read = (file: string) =>
        readFileSync(join(checkout, "internal/services", folder, file), "utf8").split("\n")
      const [schema, resource, model] = ["schema.go", "resource.go", "model.go"].map(read)
      for (const [verb, line] of Object.entries(verbs)) {
        const name =
          verb === "import" ? "ImportState" : verb.replace(/^./, (it) => it.toUpperCase())
        expect(resource?.[line - 1]).toContain(`) ${name}(ctx `)
      }
      for (const { path, keys, property } of rowsOf(fields)) {
        if (property.at === undefined) continue
        const name = (keys.at(-1) ?? "").replaceAll(
          /[A-Z]/g,
          (letter) => `_${letter.toLowerCase()}`,
        )
        const [declared = "", ...below] = schema?.slice(property.at - 1) ?? []
        expect([path, declared.trim()]).toEqual([
          path,
          expect.stringContaining(`"${name}": schema.`),
        ])
        // Up to the end of its declaration, without those of the properties inside.
        const indent = declared.search(/\S/)
        const end = below.findIndex((line) => line.search(/\S/) === indent)
        const ownCells = below
          .slice(0, end)
          .filter((line) => line.search(/\S/) <= indent + 2)
          .join("\n")
        const sets = {
          computed: ownCells.includes("Computed:"),
          optional: ownCells.includes("Optional:"),
        }
        expect([path, sets]).toEqual([path, presences[property.presence]])
        const replace = /RequiresReplaceIfConfigured/.test(ownCells)
          ? "configured"
          : /RequiresReplace\(/.test(ownCells)
            ? "always"
            : undefined
        expect([path, replace]).toEqual([path, property.replace])
        expect([path, / Default:|^\s*Default:/m.test(ownCells)]).toEqual([
          path,
          property.default !== undefined,
        ])
        const tagged = model?.some(
          (line) => line.includes(`tfsdk:"${name}"`) && line.includes("no_refresh"),
        )
        expect([path, tagged]).toEqual([path, property.writeOnly ?? false])
      }
    }
  },
)

const presences = {
  required: { computed: false, optional: false },
  optional: { computed: false, optional: true },
  either: { computed: true, optional: true },
  computed: { computed: true, optional: false },
}
