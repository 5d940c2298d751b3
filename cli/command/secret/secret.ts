import { Command } from "commander"

import { secretDoctorCommand } from "./doctor.ts"
import { secretGenerateCommand } from "./generate.ts"
import { secretListCommand } from "./list.ts"
import { secretRemoveCommand } from "./remove.ts"
import { secretRotateCommand } from "./rotate.ts"
import { secretSetCommand } from "./set.ts"

export const secretGroup = new Command("secret")
  .description("the secrets of staging and production, sealed by Pulumi in their files")
  .addCommand(secretListCommand)
  .addCommand(secretSetCommand)
  .addCommand(secretGenerateCommand)
  .addCommand(secretRotateCommand)
  .addCommand(secretRemoveCommand)
  .addCommand(secretDoctorCommand)
