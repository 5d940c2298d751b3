/**
 * Logical name of what a stack has one of, and the beginning of all others. A URN contains the stack
 * already. State names resources by it: a change needs an alias, or every resource is replaced.
 */
export const logicalName = "accounts"
