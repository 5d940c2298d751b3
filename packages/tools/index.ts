/** What infra/index.ts is made of. */
export { Database } from "./components/database.ts"
export { type ProgramOptions, readDeployment } from "./components/deployment.ts"
export { Hostname } from "./components/hostname.ts"
export { Service } from "./components/service.ts"
export { Verification } from "./components/verification.ts"
