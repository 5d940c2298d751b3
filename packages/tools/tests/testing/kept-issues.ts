import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"

/** GitHub's `gh`, as far as it keeps the number of an open issue and what that says. */
export async function openIssues() {
  await using opened = new AsyncDisposableStack()
  const { path: directory } = opened.use(await temporaryDirectory())
  const file = (name: string) => join(directory, name)
  writeFileSync(file("said"), "")
  const gh = `echo "$1 $2" >> ${file("said")}
for word in "$@"; do case "$before" in --body-file) cp "$word" ${file("body")} ;; esac; before=$word; done
cd ${directory}
case "$1 $2" in
"issue list") cat open 2>/dev/null || true ;;
"issue create") echo 7 > open ;;
"issue close") [ "$3" = 7 ] && rm open ;;
"issue edit") [ "$3" = 7 ] ;;
esac`
  writeFileSync(file("gh"), `#!/bin/sh\n${gh}\n`, { mode: 0o755 })
  const disposal = opened.move()
  return {
    /** Directory for the programs of a runner. */
    directory,
    /** Changes of issues, in order. */
    events: () =>
      readFileSync(file("said"), "utf8")
        .split("\n")
        .filter((line) => /^issue (?!list)/.test(line)),
    /** Last text of the issue. */
    body: () => readFileSync(file("body"), "utf8"),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}
