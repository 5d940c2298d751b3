export { fixCommand } from "./fix.ts"
export { lintCommand } from "./lint.ts"
