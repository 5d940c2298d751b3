import { randomBytes } from "node:crypto"

import type { EngineLog } from "@accounts-stack/pulumi-host/log"
import { decodeProperties, equal } from "@accounts-stack/pulumi-host/properties"
import protocol from "@pulumi/pulumi/proto/provider_pb.js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"

/**
 * What the plugin answers for a resource that it does not know: a record, in the state alone, of what the
 * program gave. Nothing is asked of Cloudflare and nothing judged. What only Cloudflare would say of it is
 * absent, and any change is an update, because what replaces is known to its own provider alone.
 */
export function createRecords(log: () => EngineLog) {
  return {
    check: (request: protocol.CheckRequest) =>
      new protocol.CheckResponse().setInputs(request.getNews()),

    diff: (request: protocol.DiffRequest) => {
      const { DIFF_NONE, DIFF_SOME } = protocol.DiffResponse.DiffChanges
      const [olds, news] = [request.getOlds(), request.getNews()].map(
        (sent) => decodeProperties(sent).values,
      )
      const names = [...new Set(Object.keys({ ...olds, ...news }))]
      const changed = names.filter((name) => !equal(olds?.[name], news?.[name]))
      return new protocol.DiffResponse()
        .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
        .setDiffsList(changed)
    },

    create: (request: protocol.CreateRequest) => {
      const urn = request.getUrn()
      const [, , type, name] = urn.split("::")
      const made = `${name}: the stand-in for Cloudflare's provider makes no ${type?.split("$").at(-1)}`
      log().of(urn).warn(`${made}, but keeps what the program gave as a record`)
      const response = new protocol.CreateResponse().setProperties(request.getProperties())
      return request.getPreview() ? response : response.setId(randomBytes(16).toString("hex"))
    },

    read: (request: protocol.ReadRequest) => {
      if (Object.keys(request.getProperties()?.toJavaScript() ?? {}).length === 0) {
        throw new Error(`The stand-in for Cloudflare's provider cannot import ${request.getUrn()}`)
      }
      return new protocol.ReadResponse()
        .setId(request.getId())
        .setProperties(request.getProperties())
        .setInputs(request.getInputs())
    },

    update: (request: protocol.UpdateRequest) =>
      new protocol.UpdateResponse().setProperties(request.getNews()),

    delete: (): empty.Empty => new empty.Empty(),
  }
}
