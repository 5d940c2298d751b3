import { spawn } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import { createInterface } from "node:readline"

import { credentials, type ServiceError } from "@grpc/grpc-js"
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js"
import protocol from "@pulumi/pulumi/proto/provider_pb.js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"
import struct from "google-protobuf/google/protobuf/struct_pb.js"

type Options = {
  /** The working directory. */
  directory: string
  environment?: Record<string, string>
  /** Another plugin than the stand-in. */
  command?: string | undefined
}

/** As the engine keeps a resource. */
type Kept = { id: string; outputs: Properties; inputs: Properties }

type Properties = Record<string, unknown>

/** Starts the provider as the engine does, and calls it as the engine does. */
export async function startPlugin({ directory, environment = {}, command }: Options) {
  const main = path.join(import.meta.dirname, "..", "main.js")
  const { PATH = "", NODE_COMPILE_CACHE } = process.env
  // The official one wants the address of an engine, for its log.
  const [program, words] = command
    ? [command, ["127.0.0.1:1"]]
    : [process.execPath, [main, "--logtostderr"]]
  const child = spawn(program, words, {
    cwd: directory,
    // With the compile cache it loads in half the time.
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const output: string[] = []
  const errors: string[] = []
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text))
  const lines = createInterface(child.stdout)
  const ready = once(lines, "line")
  lines.on("line", (line) => output.push(line))
  const [port] = await Promise.race([ready, once(child, "exit").then(() => [""])])
  if (!/^\d+$/.test(String(port))) throw new Error(`The provider did not start: ${errors.join("")}`)

  const client = new providerService.ResourceProviderClient(
    `127.0.0.1:${port}`,
    credentials.createInsecure(),
  )

  return {
    output,
    errors,
    client,

    async checkConfig(news: Properties) {
      const request = new protocol.CheckRequest().setNews(toStruct(news))
      const response = await reply<protocol.CheckResponse>((done) =>
        client.checkConfig(request, done),
      )
      return { failures: failuresOf(response), inputs: response.getInputs()?.toJavaScript() }
    },

    configure: (args: Properties) =>
      reply((done) =>
        client.configure(new protocol.ConfigureRequest().setArgs(toStruct(args)), done),
      ),

    async check(type: string, news: Properties) {
      const request = new protocol.CheckRequest().setUrn(urnOf(type)).setNews(toStruct(news))
      const response = await reply<protocol.CheckResponse>((done) => client.check(request, done))
      return { failures: failuresOf(response), inputs: response.getInputs()?.toJavaScript() }
    },

    async diff(type: string, { olds, news }: { olds: Properties; news: Properties }) {
      const request = new protocol.DiffRequest()
        .setUrn(urnOf(type))
        .setOlds(toStruct(olds))
        .setNews(toStruct(news))
      const response = await reply<protocol.DiffResponse>((done) => client.diff(request, done))
      return {
        changes: response.getChanges(),
        replaces: response.getReplacesList(),
        diffs: response.getDiffsList(),
        deleteBeforeReplace: response.getDeletebeforereplace(),
      }
    },

    async create(type: string, properties: Properties) {
      const request = new protocol.CreateRequest()
        .setUrn(urnOf(type))
        .setProperties(toStruct(properties))
      const response = await reply<protocol.CreateResponse>((done) => client.create(request, done))
      return { id: response.getId(), outputs: response.getProperties()?.toJavaScript() ?? {} }
    },

    /** Without outputs and inputs it is an import. */
    async read(type: string, { id, outputs, inputs }: Kept): Promise<Kept | undefined> {
      const request = new protocol.ReadRequest()
        .setUrn(urnOf(type))
        .setId(id)
        .setProperties(toStruct(outputs))
        .setInputs(toStruct(inputs))
      const response = await reply<protocol.ReadResponse>((done) => client.read(request, done))
      if (response.getId() === "") return undefined
      return {
        id: response.getId(),
        outputs: response.getProperties()?.toJavaScript() ?? {},
        inputs: response.getInputs()?.toJavaScript() ?? {},
      }
    },

    async update(type: string, { id, outputs, inputs }: Kept, news: Properties) {
      const request = new protocol.UpdateRequest()
        .setUrn(urnOf(type))
        .setId(id)
        .setOlds(toStruct(outputs))
        .setOldInputs(toStruct(inputs))
        .setNews(toStruct(news))
      const response = await reply<protocol.UpdateResponse>((done) => client.update(request, done))
      return response.getProperties()?.toJavaScript() ?? {}
    },

    async remove(type: string, { id, outputs, inputs }: Kept) {
      const request = new protocol.DeleteRequest()
        .setUrn(urnOf(type))
        .setId(id)
        .setProperties(toStruct(outputs))
        .setOldInputs(toStruct(inputs))
      await reply((done) => client.delete(request, done))
    },

    cancel: () => reply((done) => client.cancel(new empty.Empty(), done)),

    async previewCreate(type: string, properties: Properties) {
      const request = new protocol.CreateRequest()
        .setUrn(urnOf(type))
        .setProperties(toStruct(properties))
        .setPreview(true)
      const response = await reply<protocol.CreateResponse>((done) => client.create(request, done))
      return response.getProperties()?.toJavaScript() ?? {}
    },

    async [Symbol.asyncDispose]() {
      client.close()
      const exit = once(child, "exit")
      child.kill()
      await exit
    },
  }
}

function failuresOf(response: protocol.CheckResponse) {
  const failures: Record<string, string> = {}
  for (const failure of response.getFailuresList()) {
    failures[failure.getProperty()] = failure.getReason()
  }
  return failures
}

function urnOf(type: string): string {
  return `urn:pulumi:test::accounts::${type}::one`
}

function toStruct(properties: Properties): struct.Struct {
  // The round trip drops `undefined`, as the engine does.
  return struct.Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)))
}

function reply<Response>(
  send: (done: (error: ServiceError | null, response: Response) => void) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    send((error, response) => (error ? reject(new Error(error.details)) : resolve(response)))
  })
}
