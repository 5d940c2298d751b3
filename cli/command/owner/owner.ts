import { Command } from "commander"

import { ownerGrantCommand } from "./grant.ts"

export const ownerGroup = new Command("owner")
  .description("users who can make others owner or admin")
  .addCommand(ownerGrantCommand)
