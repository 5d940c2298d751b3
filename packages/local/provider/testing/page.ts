import type { Fields, Property } from "../property.ts"
import { type Resource, resources } from "../resources.ts"

/** docs/cloudflare-provider.md, from the table that drives the stand-in. */
export function providerPage(): string {
  return (
    [intro, ...Object.entries(resources).map(([type, resource]) => section(type, resource))].join(
      "\n\n",
    ) + "\n"
  )
}

const intro = `# What Cloudflare's provider does

What a program can rely on, and what the stand-in does alike: \`packages/local/provider/rows.test.ts\` holds the stand-in to each row, and the official provider too where its plugin is in \`PULUMI_HOME\` and \`ACCOUNTS_PROVIDER=official\` is set. \`npm run fix\` writes this page from \`packages/local/provider/resources.ts\`. Lines are those of \`internal/services/\` in terraform-provider-cloudflare 5.22.0, which Pulumi's provider is made from.

- **Every request is sent again** after no answer, 408, 409, 429 and 5xx, up to ten times in about three and a half minutes, whatever its verb (cloudflare-go 7.7.0, \`internal/requestconfig/requestconfig.go:172\`, \`:255\`). A creation whose answer was lost is then refused, because what it made exists, and nothing is pending in the state. Cancelling a run ends no request, and no request has a time limit.
- **A deletion of what is gone fails** (404). A refresh reads 404 as gone, an import as an error.
- **An update sends every property** that the state has, also those that Cloudflare answered and no program set; sets in order.
- **What an answer leaves out becomes nothing** with the next refresh, unless a row says that it is kept. For a property that replaces, that is a replacement.
- **A request's path comes from the outputs in state alone**: \`id\` (of a database \`uuid\`) with the account or the zone, never the id that the engine knows.
- **A state of Terraform's is rebuilt from the outputs** and what stands beside them (\`packages/local/provider/raw-state/\`). What is null there stays null, and an object that it does not name is not read.
- **A difference has no paths**: it names the properties at the top, and with them those that Cloudflare may change.
- **A refresh reads of a list as many members as the program gave** into the inputs; the outputs have all.

The crons of \`WorkersCronTrigger\` are never read back (\`workers_cron_trigger/model.go:17\`, \`no_refresh\`), and its deletion leaves them as they are (\`resource.go:191\`): \`CronTriggers\` of this project is in its place.

In the tables \`program?\` is a property that only the program sets, if at all, and \`either\` one that Cloudflare sets if the program does not. A change updates, and a property is read back, and imported as it is read, unless its row says otherwise. Its line is in \`schema.go\` of the folder that the list names.`

function section(type: string, resource: Resource): string {
  const { source, fields, create, update, importId } = resource
  const { folder, ...lines } = source
  const at = (verb: keyof typeof lines) => `\`${folder}/resource.go:${lines[verb]}\``
  const verbs = [
    `creates by \`${create.method.toUpperCase()} ${create.path}\` (${at("create")})`,
    update
      ? `updates by \`${update.method.toUpperCase()} ${update.path}\` (${at("update")})`
      : `updates nothing (${at("update")})`,
    `reads \`${resource.read}\` (${at("read")})`,
    `deletes \`${resource.delete}\` (${at("delete")})`,
    `imports \`${importId.join("/")}\` (${at("import")})`,
  ]
  const name = type.split(":").at(-1) ?? ""
  const header = "| property | set by | default | a change | besides | line |"
  const rule = "| --- | --- | --- | --- | --- | --- |"
  const rows = rowsOf(fields, { path: "", replaces: false })
  const read = Object.entries(fields).flatMap(([field, property]) =>
    property.presence === "computed" ? [`\`${field}\` (${property.at})`] : [],
  )
  if (read.length > 0) verbs.push(`only reads ${read.join(", ")}`)
  return [`## ${name}`, "", ...verbs.map((verb) => `- ${verb}`), "", header, rule, ...rows].join(
    "\n",
  )
}

type Place = { path: string; replaces: boolean }

function rowsOf(fields: Fields, { path, replaces: within }: Place): string[] {
  const rows: string[] = []
  for (const [name, property] of Object.entries(fields)) {
    if (property.presence === "computed") continue
    const place = path === "" ? name : `${path}.${name}`
    const replaces = within || property.replace !== undefined
    const cells = [
      `\`${place}\``,
      setBy[property.presence],
      defaultOf(property),
      changeOf(property, replaces),
      besides(property),
      property.at === undefined ? "" : String(property.at),
    ]
    rows.push(`| ${cells.join(" | ")} |`)
    if (!("fields" in property)) continue
    rows.push(...rowsOf(property.fields, { path: place, replaces }))
  }
  return rows
}

const setBy = { required: "program", optional: "program?", either: "either" }

function defaultOf({ default: value, defaultFrom }: Property): string {
  if (defaultFrom !== undefined) return `that of \`${defaultFrom}\``
  return value === undefined ? "" : `\`${JSON.stringify(value)}\``
}

function changeOf({ replace }: Property, replaces: boolean): string {
  if (replace === "configured") return "**replaces**, where set"
  return replaces ? "**replaces**" : ""
}

/** Describes how a property differs from the usual: most are read back, and imported as they are read. */
function besides({ where, writeOnly, imported }: Property): string {
  if (where) return "never read back, imported from the id"
  if (writeOnly) return "never read back, **nothing** by an import"
  if (imported === undefined) return ""
  return `kept if left out; an import may give **\`${JSON.stringify(imported)}\`**`
}
