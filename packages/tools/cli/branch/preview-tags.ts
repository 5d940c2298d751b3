import { printable } from "../output.ts"
import { git } from "./branch-name.ts"

const day = 24 * 60 * 60 * 1000

/** What the Worker of a preview says of it: Cloudflare takes eight tags at most, and D1 none. */
export function previewTags(
  branch: string,
  {
    expires,
    env = process.env,
    now = new Date(),
  }: { expires?: number | undefined; env?: NodeJS.ProcessEnv; now?: Date },
): string[] {
  const facts = {
    repository: repositoryOf(env),
    branch,
    "pull-request": /^refs\/pull\/(\d+)\//.exec(env["GITHUB_REF"] ?? "")?.[1],
    owner: env["GITHUB_ACTOR"] || ifAny("config", "user.name"),
    commit: ifAny("describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"),
    // By the day, so that a second `up` changes nothing.
    expires: expires && new Date(now.getTime() + expires * day).toISOString().slice(0, 10),
  }
  // A tag may contain neither.
  const escape = (text: string) => text.replaceAll(/[,&]/g, encodeURIComponent).slice(0, 1000)
  return Object.entries(facts).flatMap(([key, value]) => (value ? [`${key}=${escape(value)}`] : []))
}

/** Such as `acme/accounts`, from every machine the same; undefined where there is no remote. */
export function repositoryOf(
  { GITHUB_REPOSITORY, CI_PROJECT_PATH }: NodeJS.ProcessEnv = process.env,
  remote = ifAny("remote", "get-url", "origin"),
): string | undefined {
  const [, path] = /^(?:\w+:\/\/[^/]*|[^/]*:)?\/*(.+?)(?:\.git)?\/*$/.exec(remote ?? "") ?? []
  return (GITHUB_REPOSITORY || CI_PROJECT_PATH || path)?.toLowerCase()
}

/** The value of a tag, on one line: whoever deploys to the account of previews may write it. */
export function tagIn(tags: string[] | undefined, key: string): string | undefined {
  const value = tags?.find((tag) => tag.startsWith(`${key}=`))?.slice(key.length + 1)
  return value && printable(value.replaceAll(/%2C|%26/g, decodeURIComponent))
}

function ifAny(...args: string[]): string | undefined {
  try {
    return git(...args)
  } catch {
    return undefined
  }
}
