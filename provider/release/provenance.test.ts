import { expect, test } from "vitest"

import { cutMessage, releaseMessage } from "./provenance.ts"

const actions = {
  GITHUB_SHA: "0123456789abcdef",
  GITHUB_ACTOR: "ada",
  GITHUB_REF: "refs/pull/12/merge",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_REPOSITORY: "example/accounts",
  GITHUB_RUN_ID: "34",
}

test("a deployment's message names commit, author, pull request and run", async () => {
  expect(await releaseMessage(actions)).toBe(
    "0123456789ab by ada, pull request 12, https://github.com/example/accounts/actions/runs/34",
  )
  const gitlab = { CI_COMMIT_SHA: "abc", GITLAB_USER_LOGIN: "bob", CI_MERGE_REQUEST_IID: "5" }
  expect(await releaseMessage({ ...gitlab, CI_PIPELINE_URL: "https://gitlab.example/1" })).toBe(
    "abc by bob, pull request 5, https://gitlab.example/1",
  )
})

test("a user without an entry in the password file can release", async () => {
  const readUser = () => {
    throw new Error("ENOENT: no such file or directory, uv_os_get_passwd")
  }
  expect(await releaseMessage({ GITHUB_SHA: "abc" }, readUser)).toBe("abc by unknown")
})

test("a message has at most 900 bytes and ends with a whole character", () => {
  const long = cutMessage("é".repeat(600))
  expect(Buffer.byteLength(long)).toBe(900)
  expect(long).toBe("é".repeat(450))
  expect(cutMessage(`a${"é".repeat(600)}`)).toBe(`a${"é".repeat(449)}`)
  expect(cutMessage("short")).toBe("short")
})
