import type * as pulumi from "@pulumi/pulumi"

/**
 * Logical name of what a stack has one of, and the beginning of all others. A URN contains the stack
 * already. State names resources by it: a change needs an alias, or every resource is replaced.
 */
export const logicalName = "accounts"

/**
 * Keeps the resources of stacks whose logical names were their physical ones. The children of a
 * component inherit it: Pulumi exchanges the beginning of their names as well.
 */
export function formerlyNamed(name: string): Pick<pulumi.ResourceOptions, "aliases"> {
  return { aliases: [{ name }] }
}
