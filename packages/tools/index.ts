/** Entry for the Pulumi program, infra/index.ts. */
export { Database } from "./deploy/components/database.ts"
export { type ProgramOptions, readDeployment } from "./deploy/components/deployment.ts"
export { Hostname } from "./deploy/components/hostname.ts"
export { Service } from "./deploy/components/service.ts"
export { Verification } from "./deploy/components/hostname.ts"
