import * as z from "zod"

const nothing = "the local Cloudflare runs no Durable Objects, so only an empty list is taken"
const none = z.array(z.json()).max(0, nothing).optional()
const untagged = z
  .undefined({
    error: "the local Cloudflare runs no Durable Objects, so it keeps no tag of theirs",
  })
  .optional()

const step = {
  new_classes: none,
  new_sqlite_classes: none,
  deleted_classes: none,
  renamed_classes: none,
  transferred_classes: none,
}

/**
 * Migrations of Durable Objects, by the OpenAPI description in one step or in several. Some clients
 * send them with every upload (Alchemy does), so they are refused only where they ask for something.
 */
export const ClassMigrations = z
  .strictObject({
    old_tag: untagged,
    new_tag: untagged,
    ...step,
    steps: z.array(z.strictObject(step)).optional(),
  })
  .optional()
