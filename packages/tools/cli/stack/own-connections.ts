import * as settings from "@pulumi/pulumi/runtime/settings.js"

/**
 * Gives each run of the program its own connections to its engine. By itself a process has one for each
 * address, and Pulumi never closes it: where a program still tried to reach an engine that had gone, the
 * next engine at this port was not reachable either, and its run failed with "No connection established".
 */
export function useOwnConnections(): void {
  const options: unknown = Reflect.get(settings, "grpcClientOptions")
  Object.assign(Object(options), { "grpc.use_local_subchannel_pool": 1 })
}
