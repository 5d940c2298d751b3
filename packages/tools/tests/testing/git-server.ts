import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"

/** A private repository over HTTP, by git's own server: only the token that GitHub gives to a job reads it. */
export async function openGitServer(token: string) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-remote-"))
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: directory, stdio: "pipe", encoding: "utf8" }).trim()
  git("init", "--bare", "--quiet", "ours.git")
  const of = ["--git-dir", "ours.git"]
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
  const tree = git(...of, "hash-object", "-t", "tree", "-w", "/dev/null")
  const commit = git(...of, ...author, "commit-tree", tree, "-m", "Start")

  const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`
  const refused: string[] = []
  const server = await serve((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://127.0.0.1")
    if (request.headers.authorization !== expected) {
      refused.push(pathname)
      response.writeHead(401, { "www-authenticate": `Basic realm="GitHub"` }).end()
      return
    }
    const backend = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env["PATH"],
        GIT_PROJECT_ROOT: directory,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers["content-type"],
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      },
      stdio: ["pipe", "pipe", "inherit"],
    })
    request.pipe(backend.stdin)
    const chunks: Buffer[] = []
    backend.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    backend.once("close", () => {
      const answer = Buffer.concat(chunks)
      const end = answer.indexOf("\r\n\r\n")
      for (const line of answer.subarray(0, end).toString().split("\r\n")) {
        const [, name = "", value = ""] = /^([^:]+): (.*)$/.exec(line) ?? []
        if (name !== "" && name !== "Status") response.setHeader(name, value)
      }
      response.end(answer.subarray(end + 4))
    })
  })
  return {
    url: `${server.url}/ours.git`,
    /** Requests without the token. */
    refused,
    push: (branch: string) => git(...of, "update-ref", `refs/heads/${branch}`, commit),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
