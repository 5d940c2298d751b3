import {
  localCommand,
  localOptions,
  wholeNumber,
  type LocalFlags,
} from "../../../command-options.ts"

const parseSeed = wholeNumber({
  from: Number.MIN_SAFE_INTEGER,
  to: Number.MAX_SAFE_INTEGER,
  message: "A seed is a whole number.",
})

export const faultPresetCommand = localCommand("preset")
  .argument("<name>", "bad-day, slow or bad-database")
  .description("replace all rules with a mix of rare faults")
  .option("--seed <number>", "the same seed injects the same faults", parseSeed, 1)
  .action(async (preset: string, { seed, ...flags }: LocalFlags & { seed: number }) => {
    const { presetFaults } = await import("../../../running/faults.ts")
    await presetFaults({ preset, seed }, localOptions(flags))
  })
