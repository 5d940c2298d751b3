import { afterAll, expect, test } from "vitest"

import { copyCheckout } from "../../tests/testing/checkout.ts"
import { commit, git } from "../../tests/testing/commit.ts"

const checkout = copyCheckout()
const { directory } = checkout
afterAll(() => checkout[Symbol.asyncDispose]())

/** A commit whose `./accounts` only says whose it is, under these names. */
function publish(whose: string, ...refs: string[]): void {
  git(directory, "switch", "--quiet", "--detach", "main")
  checkout.write("packages/tools/cli/main.js", `console.log("the code of ${whose}")\n`)
  commit(directory, whose)
  for (const ref of refs) git(directory, "update-ref", ref, "HEAD")
  git(directory, "switch", "--quiet", "main")
}

async function up(branch: string): Promise<string> {
  const { stdout, stderr } = await checkout.run("branch", "up", branch, "--local")
  return stdout + stderr
}

test("the code that is run with an operator's keys is that of the branch by this name, and nobody else's", async () => {
  publish("mallory", "refs/heads/team/login", "refs/remotes/fork/login/x", "refs/remotes/fork/both")
  publish("origin", "refs/remotes/origin/login", "refs/remotes/origin/both")
  expect(await up("login")).toContain("the code of origin")
  for (const name of ["team", "team/log[i]n"]) {
    expect(await up(name)).toContain(`This clone has no branch ${name}`)
  }
  expect(await up("both")).toContain("fork/both and origin/both are not the same")
  publish("the clone", "refs/heads/both")
  expect(await up("both")).toContain("the code of the clone")
})
