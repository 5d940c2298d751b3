import { Command, Option } from "commander"

import { Failure } from "../base/failure.ts"
import { stateOption, wholeNumber, withJson, withStack } from "./command-options.ts"
import { nextCommand } from "./local-options.ts"
import { print, say } from "./output.ts"
import type { SecretOptions } from "./secret-engine.ts"

const hours = wholeNumber({ from: 1, to: 720, message: "Hours are a number from 1 to 720." })

const rotate = withJson(withStack(new Command("rotate")))
  .usage("<name> -s <stack> [options]")
  .argument("<name>", "name of the secret, as docs/bindings.md has it")
  .argument("[value...]", "refused: the value is drawn")
  .description(
    "replace AUTH_SECRET or FACTOR_SECRET and keep the previous one for a while, so that no member is signed out or loses an app",
  )
  .addOption(
    new Option("--in <hours>", "when the new one takes over; deploy it before")
      .default(24)
      .argParser(hours),
  )
  .option("--local", "in the trial on this machine alone, whose secrets are its own")
  .option("--directory <dir>", "folder of the stack files", "environments")
  .addOption(stateOption())
  .option("--engine <path>", "Pulumi engine to use instead of searching for one")
  .hook("preAction", (_, { args }) => expectNameAlone(args))
  .action(
    async (
      name: string,
      _values: string[],
      { in: after, json, local, ...options }: RotateFlags,
    ) => {
      if (local && options.stack !== "local") return await rotateHere(name, after, options, json)
      const { findSecretStack, sealOnCopy, secretEngine } = await import("./secret-engine.ts")
      const { replaceFile, rotateSecret } = await import("../operate/rotate.ts")
      const { describeTime } = await import("../environment/secrets.ts")
      const { renderEnvironments } = await import("../environment/effective/rendered.ts")
      const { stack, directory } = options
      const site = findSecretStack(options)
      const rotated = await rotateSecret(name, {
        hours: after,
        now: new Date(),
        site,
        seal: async (of, value) =>
          await sealOnCopy(await secretEngine(options), site, { name: of, value }),
      })
      const { does, keeps, key, previous, from, until } = rotated
      say(`${name} is rotated in ${site.label}: another one is sealed, the one before stays.`)
      // A changed seal makes the effective file stale.
      for (const { stack: of, path, text, committed } of await renderEnvironments(directory)) {
        if (of !== stack || text === undefined || text === committed) continue
        replaceFile(path, text)
        say(`${path} is rendered.`)
      }
      say(
        [
          `Deploy it before ${describeTime(from)}. From then on the new one ${does}; ${keeps}.`,
          `From ${describeTime(until)} the previous one is no longer needed: pulumi config rm -s ${stack} --path accounts:secrets.${previous} && pulumi config rm -s ${stack} accounts:${key} && ./accounts environment render`,
        ].join("\n"),
      )
      const time = from.toISOString().replace(".000Z", "Z")
      if (json) print(JSON.stringify({ stack, from: time, until: until.toISOString() }))
    },
  )

type RotateFlags = SecretOptions & { in: number; json: boolean; local: boolean }

async function rotateHere(
  name: string,
  after: number,
  { stack, state }: SecretOptions,
  json: boolean,
): Promise<void> {
  const { rotateRehearsal } = await import("./stack/project.ts")
  const { beginRotation } = await import("../operate/rotate.ts")
  const { describeTime } = await import("../environment/secrets.ts")
  const rotation = beginRotation(name, { hours: after, now: new Date() })
  const { does, keeps, from, until } = rotation
  const file = rotateRehearsal(stack, state, rotation, from)
  const up = nextCommand("up", { stack, local: true, state })
  say(
    [
      `${name} is rotated in the trial of ${stack} on this machine: ${up}`,
      `From ${describeTime(from)} the new one ${does}; ${keeps}. To see that sooner, write an earlier time into ${file}.`,
      `From ${describeTime(until)} the previous one is no longer needed: rm ${file} && ${up}`,
    ].join("\n"),
  )
  const time = from.toISOString().replace(".000Z", "Z")
  if (json) print(JSON.stringify({ stack, from: time, until: until.toISOString() }))
}

/** @throws Failure if the command line has a value; the message does not repeat it */
function expectNameAlone([name = "", ...values]: string[]): void {
  if (values.length === 0 && !name.includes("=")) return
  throw new Failure(
    "USAGE",
    "A secret is no argument: it would stand in the list of processes and in the history of the shell. The value is drawn. Take another value than this one.",
  )
}

export const secretGroup = new Command("secret")
  .description("the secrets of staging and production, sealed by Pulumi in their files")
  .addCommand(rotate)
