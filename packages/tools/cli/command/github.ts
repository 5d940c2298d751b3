import { Command } from "commander"

import { Failure } from "../../base/failure.ts"
import { print } from "../output.ts"

const help = `
The names are those that the files in .github/workflows read. GitHub is asked with GH_TOKEN, GITHUB_TOKEN or the
login of \`gh\`, which may read Environments, Secrets and Variables; GITHUB_REPOSITORY names another repository than
the remote \`origin\`. It changes nothing. Which settings a backend needs: "Pipelines" in docs/operating.md.

Exit code 0: every workflow can run. 1: one cannot, or GitHub could not be asked.
`

export const githubCommand = new Command("github")
  .description("say which secrets and variables the workflows read, and what GitHub lacks of them")
  .option("--json", "print one JSON document on stdout")
  .addHelpText("after", help)
  .action(async ({ json = false }: { json?: boolean }) => {
    const { root } = await import("../../base/root.ts")
    const { repositoryOf } = await import("../branch/preview-tags.ts")
    const { githubToken, openGitHub } = await import("../github/github-settings.ts")
    const { describeGitHub, examineGitHub } = await import("../github/examine-github.ts")
    const token = githubToken()
    const repository = repositoryOf()
    const github = token && repository ? openGitHub(repository, token) : undefined
    const found = await examineGitHub(root, github)
    print(
      json
        ? JSON.stringify({ repository, asked: github !== undefined, environments: found })
        : describeGitHub(found, repository),
    )
    if (github === undefined) {
      const lack = token
        ? "no remote `origin`: set GITHUB_REPOSITORY"
        : "no token: set GH_TOKEN, or run `gh auth login`"
      throw new Failure("COMMAND_FAILED", `What is set there is not known, as there is ${lack}.`)
    }
    const lacking = found.filter(({ exists, refused }) => !exists || refused.length > 0)
    if (lacking.length === 0) return
    const names = lacking.map(({ environment }) => environment ?? "the repository")
    throw new Failure("COMMAND_FAILED", `Set up at GitHub what is missing in ${names.join(", ")}.`)
  })
