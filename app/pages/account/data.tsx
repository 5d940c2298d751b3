import { field } from "../fields.ts"
import { defineForm, Form } from "../form.tsx"
import { given, goAfter } from "../outcome.ts"
import type { Page } from "../page.ts"
import type { Visit } from "../visit.ts"

const deleteForm = defineForm({
  act: "delete",
  button: (words) => words.delete,
  isGrave: true,
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
    const { password: hasPassword } = await given(api.user.listWays())
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
  show: async (visit) =>
    new Response(JSON.stringify(await exported(visit), null, 2), {
      headers: {
        "content-type": "application/json",
        "content-disposition": 'attachment; filename="account.json"',
      },
    }),
}

/** All pages of the export as one. */
async function exported({ api }: Visit) {
  const lists = new Map<string, unknown>()
  let cursor: string | null | undefined
  do {
    const { nextCursor, ...page } = await given(api.user.exportData(cursor ? { cursor } : {}))
    for (const [name, found] of Object.entries(page)) {
      const before = lists.get(name)
      const isList = Array.isArray(before) && Array.isArray(found)
      lists.set(name, isList ? [...before, ...found] : (found ?? before))
    }
    cursor = nextCursor
  } while (cursor !== null)
  return Object.fromEntries(lists)
}

export const dataPages = [data, download]
