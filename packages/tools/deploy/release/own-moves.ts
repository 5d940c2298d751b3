import type { Deployment } from "./deployments.ts"

/** How a command of this project begins the message of a deployment that is no release. */
export const moves = {
  rollback: "rolled back from",
  restore: "restored the database behind",
  standIn: "answers 503 while the database is restored",
} as const

export type Move = keyof typeof moves

const kinds = ["rollback", "restore", "standIn"] as const

/** What becomes of it with the next `up`, and what to do in its place. */
const ways: Record<Move, { up: string; next: (stack: string) => string }> = {
  rollback: {
    up: "an up releases that content again, unless its commit is reverted first",
    next: (stack) => `revert the commit that was released, then ./accounts up -s ${stack}`,
  },
  restore: {
    up: "an up applies the migrations of its checkout again, and releases it",
    next: (stack) =>
      `./accounts plan -s ${stack}, at the commit that is to serve the restored rows`,
  },
  standIn: {
    up: "an up would release in the middle of a restore, which runs or was killed",
    next: (stack) => `./accounts database restore -s ${stack}, as it was begun, or with --undo`,
  },
}

/** Undefined for a release, and for what somebody else deployed. */
export function moveOf({ message }: Pick<Deployment, "message">): Move | undefined {
  return kinds.find((kind) => message.startsWith(moves[kind]))
}

export type OwnMove = { move: Move; done: string; up: string; next: string }

/** What a command of this project did last, in words; undefined where it was something else. */
export function describeMove(live: Deployment, stack = "<stack>"): OwnMove | undefined {
  const move = moveOf(live)
  if (move === undefined) return undefined
  const { up, next } = ways[move]
  return { move, done: `${live.message}, ${live.at}`, up, next: next(stack) }
}
