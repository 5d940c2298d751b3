import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { unwrap, goAfter } from "../outcome.ts"
import type { Visit } from "../visit.ts"

const deleteForm = defineForm({
  act: "delete",
  button: (words) => words.delete,
  isDestructive: true,
  fields: {
    password: field.password,
    sure: { is: "tick", label: (words) => words.deleteSure },
  },
  send: async (visit, { password, sure }) => {
    if (!sure) return { code: "MISSING" }
    const proof = visit.has("password") ? { password } : {}
    return goAfter(visit.api.auth.deleteUser(proof), "/sign-in", "gone")
  },
})

const data: Page = {
  path: "/account/data",
  audience: "member",
  isInMenu: true,
  title: (words) => words.data,
  show: async (visit) => {
    const { words, api } = visit
    const { password: hasPassword } = await unwrap(api.user.listWays())
    return (
      <>
        <p>{words.exportText}</p>
        <a class="button" href="/account/data.json">
          {words.export}
        </a>
        <h2>{words.deleteTitle}</h2>
        <Form visit={visit} form={deleteForm} without={hasPassword ? [] : ["password"]}>
          <p>{words.deleteText}</p>
        </Form>
      </>
    )
  },
  forms: [deleteForm],
}

const download: Page = {
  path: "/account/data.json",
  audience: "member",
  title: (words) => words.data,
  show: async (visit) => {
    const first = await unwrap(visit.api.user.exportData({}))
    const parts = partsOf(visit, first)
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const { value } = await parts.next()
      if (value) controller.enqueue(value)
      else controller.close()
    }
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), {
      headers: {
        "content-type": "application/json",
        "content-disposition": 'attachment; filename="account.json"',
      },
    })
  },
}

type Exported = { nextCursor: string | null; [collection: string]: unknown }

/**
 * Yields all pages of the export as one JSON object. Each page is written before the next one is read, so the isolate
 * holds at most two. If a page cannot be read, the download breaks off and the file is incomplete.
 */
async function* partsOf({ api }: Visit, exported: Exported): AsyncGenerator<Uint8Array, undefined> {
  const { nextCursor, ...first } = exported
  const encoder = new TextEncoder()
  const waiting = new Map(Object.entries(first))
  let [cursor, prefix] = [nextCursor, "{"]
  while (cursor !== null) {
    const { nextCursor: next, ...page }: Exported = await unwrap(api.user.exportData({ cursor }))
    cursor = next
    // Each later page has rows of only one collection, until that is complete.
    for (const [name, rows] of Object.entries(page)) {
      if (!Array.isArray(rows) || rows.length === 0) continue
      const start = waiting.get(name)
      const opening = Array.isArray(start) ? `${prefix}"${name}": [\n${linesOf(start)},\n` : ",\n"
      waiting.delete(name)
      prefix = "\n],\n"
      yield encoder.encode(opening + linesOf(rows))
    }
  }
  const rest = [...waiting].map(([name, rows]) => `"${name}": ${JSON.stringify(rows, null, 2)}`)
  yield encoder.encode(`${prefix}${rest.join(",\n")}}\n`)
}

function linesOf(rows: unknown[]) {
  return rows.map((row) => JSON.stringify(row)).join(",\n")
}

export const dataPages = [data, download]
