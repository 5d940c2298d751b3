import grpc from "@grpc/grpc-js"
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"

import { encodeProperties } from "../protocol/properties.ts"
import { unary } from "./provider-client.ts"

/** Connects to a provider and configures it, as the engine does first. */
export async function openConfiguredClient(
  port: string | number,
  baseUrl: string,
): Promise<ResourceProviderClient> {
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure())
  const request = new proto.ConfigureRequest()
  request.setArgs(encodeProperties({ baseUrl }))
  try {
    await unary((done) => client.configure(request, done))
  } catch (error) {
    client.close()
    throw error
  }
  return client
}
