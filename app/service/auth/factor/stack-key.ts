import * as z from "zod"

/** `accounts:secondFactor` of a stack file. */
export const SecondFactor = z.enum(["on", "off"]).default("on").meta({
  description:
    "off: nobody turns on a second factor any more; who has one is still asked for it. on takes FACTOR_SECRET among the secrets",
})

/** As the binding has it, whose default is on. */
export function unlessOn({ secondFactor }: { secondFactor: z.infer<typeof SecondFactor> }) {
  return secondFactor === "on" ? undefined : secondFactor
}
