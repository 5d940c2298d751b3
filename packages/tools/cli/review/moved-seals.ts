import { join } from "node:path"

import type { Finding } from "../../environment/rules/judge.ts"
import { secretRotations } from "../../environment/secrets.ts"
import { readSource } from "../../environment/stack-source.ts"
import { listEnvironments } from "../../environment/subject.ts"

/**
 * Ciphertexts that stand for another secret than in the base: whoever has no key can move one all the same, and
 * so give a secret to whoever gets to know the other one.
 * @param base files of the base, as the branch has its own
 */
export function movedSeals(root: string, base: string): Finding[] {
  const own = sealsOf(root)
  const before = sealsOf(base)
  const isThere = (file: string) => own.some((one) => one.file === file)
  return own.flatMap(({ file, key, seal, place }): Finding[] => {
    const known = before.filter((one) => one.seal === seal)
    const isOwn = known.some((one) => {
      // A stack that has another name takes its secrets along.
      const isSameFile = one.file === file || !isThere(one.file)
      return isSameFile && nameOf(one.key) === nameOf(key)
    })
    const [former] = known
    if (former === undefined || isOwn) return []
    const reason = `has the ciphertext that is ${former.key} of ${former.file} in the base`
    const fix = "seal the value of this secret: pulumi config set --secret --path"
    return [{ rule: "R66", file, ...place, key, reason, fix }]
  })
}

/** A rotation moves a secret to its place of before, and taking that back moves it again. */
function nameOf(key: string): string {
  const rotation = secretRotations.find(({ previous }) => key === `accounts:secrets.${previous}`)
  return rotation ? `accounts:secrets.${rotation.name}` : key
}

function sealsOf(root: string) {
  return listEnvironments(join(root, "environments"), "environments").flatMap(({ path, label }) => {
    const { seals, locate } = readSource(path)
    return Object.entries(seals).map(([key, seal]) => {
      return { file: label, key, seal, place: locate(key.split(".")) }
    })
  })
}
