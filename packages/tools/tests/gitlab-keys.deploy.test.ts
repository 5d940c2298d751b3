import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { copyCheckout } from "./testing/checkout.ts"
import { readGitLabJob } from "./testing/pipelines.ts"
import { createPrograms } from "./testing/programs.ts"
import { runJob } from "./testing/workflow.ts"

test("a job of GitLab exchanges its own token for one of Pulumi Cloud, of an organisation or of a team", async () => {
  const asked: URLSearchParams[] = []
  await using cloud = await serve((request, response) => {
    void (async () => {
      let text = ""
      for await (const chunk of request) text += String(chunk)
      const user = { githubLogin: "ours", name: "ours", organizations: [] }
      const isExchange = request.url === "/api/oauth/token"
      if (isExchange) asked.push(new URLSearchParams(text))
      const isKnown = isExchange || request.headers.authorization === "token for-an-hour"
      response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" })
      response.end(
        JSON.stringify(isExchange ? { access_token: "for-an-hour", expires_in: 3600 } : user),
      )
    })()
  })
  await using clone = copyCheckout()
  await using home = await temporaryDirectory()
  using programs = createPrograms({ npm: "" })
  for (const PULUMI_OIDC_SCOPE of ["", "team:deployers"]) {
    const job = readGitLabJob("drift", {
      CLOUDFLARE_API_TOKEN: "a token",
      PULUMI_OIDC_ORGANIZATION: "ours",
      PULUMI_OIDC_SCOPE,
      // Of a Pulumi Cloud of one's own.
      PULUMI_BACKEND_URL: cloud.url,
    })
    const steps = job.steps.map((step) => ({
      ...step,
      run: step.run?.replace(/\.\/accounts status[^]*$/, "pulumi whoami"),
    }))
    // oxlint-disable-next-line no-await-in-loop -- both have one home
    const { output } = await runJob({
      job: { ...job, steps },
      clone: clone.directory,
      contexts: {},
      environment: {
        PATH: process.env["PATH"] ?? "",
        HOME: process.env["HOME"] ?? "",
        PULUMI_HOME: home.path,
        PULUMI_SKIP_UPDATE_CHECK: "1",
      },
      path: [programs.directory],
    })
    expect(output).toMatch(/^ours$/m)
  }
  expect(asked.map((one) => [one.get("audience"), one.get("scope")])).toEqual([
    ["urn:pulumi:org:ours", ""],
    ["urn:pulumi:org:ours", "team:deployers"],
  ])
  for (const one of asked) {
    const [, claims = ""] = (one.get("subject_token") ?? "").split(".")
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
      aud: "urn:pulumi:org:ours",
    })
  }
})
