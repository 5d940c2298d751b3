/** What infra/index.ts is made of. */
export { Database } from "./database.ts"
export { type ProgramOptions, readDeployment } from "./deployment.ts"
export { Hostname } from "./hostname.ts"
export { Service } from "./service.ts"
export { Verification } from "./verification.ts"
