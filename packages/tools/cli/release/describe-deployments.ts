import { describeSplit, withTraffic, type Deployment } from "../../deploy/release/deployments.ts"
import { paintFor, printable } from "../output.ts"

/** Leaves out the trials of versions that the next deployment gave traffic. */
export function withoutTrials(deployments: Deployment[]): Deployment[] {
  return deployments.filter(({ split }, index) => {
    const next = withTraffic(deployments[index - 1]?.split ?? [])
    const hasTraffic = (id: string) => next.some(({ versionId }) => versionId === id)
    return !split.some(({ versionId, percentage }) => percentage === 0 && hasTraffic(versionId))
  })
}

/** For people: a block for each deployment, the newest first. */
export function describeDeployments(deployments: Deployment[]): string {
  const paint = paintFor(process.stdout)
  const blocks = deployments.map((deployment, index) => {
    const { split, author, at, message } = deployment
    // Each release deploys its version twice: first for the trial.
    const tried = split.filter(({ percentage }) => percentage === 0)
    const trial = tried.length === 0 ? "" : `, while ${describeSplit(tried)} is tried`
    const traffic = `${describeSplit(withTraffic(split))}${trial}`
    const mark = index === 0 ? paint.green("live  ") : "      "
    // A message comes from whoever deployed.
    const why = message === "" ? "without a message" : printable(message)
    return `${mark}${traffic}\n      ${paint.dim(`${at}  ${printable(author)}: ${why}`)}`
  })
  return blocks.join("\n")
}
