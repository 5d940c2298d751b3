import type { Descriptions } from "../operation.ts"

export const token: Descriptions = {
  procedures: {
    createToken: {
      summary: "Get a token that shows another service who you are",
      description:
        "A JWT of some minutes, which the other service verifies with getTokenKeys; docs/tokens.md of the repository says how. Only for audiences of the environment; without any, every answer is NOT_FOUND.",
    },
  },
}
