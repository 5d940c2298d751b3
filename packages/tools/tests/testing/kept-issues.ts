import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"

const token = "issues-canary-0123456789abcdef"

/** GitHub's `gh` or GitLab's API, as far as they keep the number of an open issue and what it says. */
export async function openIssues(kind: "GitHub" | "GitLab") {
  await using opened = new AsyncDisposableStack()
  const { path: directory } = opened.use(await temporaryDirectory())
  const file = (name: string) => join(directory, name)
  writeFileSync(file("said"), "")
  const note = (event: string, body?: string | null) => {
    writeFileSync(file("said"), `${event}\n`, { flag: "a" })
    if (body) writeFileSync(file("body"), body)
  }
  const gh = `echo "$1 $2" >> ${file("said")}
for word in "$@"; do case "$before" in --body-file) cp "$word" ${file("body")} ;; esac; before=$word; done
cd ${directory}
case "$1 $2" in
"issue list") cat open 2>/dev/null || true ;;
"issue create") echo 7 > open ;;
"issue close") [ "$3" = 7 ] && rm open ;;
"issue edit") [ "$3" = 7 ] ;;
esac`
  if (kind === "GitHub") writeFileSync(file("gh"), `#!/bin/sh\n${gh}\n`, { mode: 0o755 })
  let label: string | null = null
  const server = opened.use(
    await serve((request, response) => {
      void (async () => {
        let text = ""
        for await (const chunk of request) text += String(chunk)
        const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1")
        const sent = new URLSearchParams(text)
        const route = `${request.method} ${pathname.replace("/api/v4/projects/41/issues", "")}`
        const isAllowed = request.headers["private-token"] === token
        const answer = (status: number, body: unknown = {}) =>
          response
            .writeHead(status, { "content-type": "application/json" })
            .end(JSON.stringify(body))
        if (!isAllowed) return answer(401)
        // lib/gitlab/middleware/handle_malformed_strings.rb
        if ([...sent.values()].some((value) => value.includes("\uFFFD"))) return answer(400)
        if (route === "GET " && searchParams.get("state") === "opened") {
          const isOpen = label !== null && label === searchParams.get("labels")
          return answer(200, isOpen ? [{ id: 12_007, iid: 7, milestone: { iid: 3 } }] : [])
        }
        if (route === "POST ") {
          label = sent.get("labels")
          note("issue create", sent.get("description"))
        } else if (route === "PUT /7" && sent.get("state_event") === "close") {
          label = null
          note("issue close")
        } else if (route === "PUT /7" && sent.has("description")) {
          note("issue edit", sent.get("description"))
        } else if (route !== "POST /7/notes" || !sent.has("body")) return answer(404)
        return answer(200)
      })()
    }),
  )
  const disposal = opened.move()
  return {
    /** For the job that writes issues. */
    environment:
      kind === "GitHub"
        ? {}
        : {
            GITLAB_CI: "true",
            ISSUES_TOKEN: token,
            CI_API_V4_URL: `${server.url}/api/v4`,
            CI_PROJECT_ID: "41",
          },
    /** For the programs of a runner. */
    directory,
    /** What became of issues, in order. */
    events: () =>
      readFileSync(file("said"), "utf8")
        .split("\n")
        .filter((line) => /^issue (?!list)/.test(line)),
    /** What the issue said last. */
    body: () => readFileSync(file("body"), "utf8"),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}
