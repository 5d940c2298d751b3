import type { calls } from "./calls.generated.ts"
import type { operations } from "./description.generated.ts"

type Calls = typeof calls

/** Ids of the operations that a front end may call. */
export type OperationId = { [Noun in keyof Calls]: keyof Calls[Noun] }[keyof Calls] &
  keyof operations

type Flat<Type> = { [Key in keyof Type]: Type[Key] }

type Parts<Id extends OperationId> = operations[Id]["parameters"]

type Part<Given> = [Given] extends [undefined] ? unknown : NonNullable<Given>

type Body<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Json } }
}
  ? Json
  : unknown

/** The input of an operation: its parameters and the fields of its body, in one object. */
export type Input<Id extends OperationId> = Lenient<
  Flat<Part<Parts<Id>["path"]> & Part<Parts<Id>["query"]> & Body<Id>>
>

/**
 * An optional field may be undefined, also under `exactOptionalPropertyTypes`, and the first page has no
 * cursor.
 */
type Lenient<Given> = {
  [Key in keyof Given]:
    | Given[Key]
    | (Partial<Pick<Given, Key>> extends Pick<Given, Key> ? undefined : never)
    | (Key extends "cursor" ? null : never)
}

type Responses<Id extends OperationId> = operations[Id]["responses"]

/** The answer of an operation, as JSON: points in time are ISO 8601. */
export type Answer<Id extends OperationId> =
  Responses<Id> extends { 200: { content: { "application/json": infer Json } } } ? Json : never

/** A field that the service refused. */
export type Issue = {
  path: (string | number)[]
  /** For people. */
  message: string
  /** The limit that it broke: characters of a text, entries of a list, or a number. */
  minimum?: number
  maximum?: number
}

/** The step-up methods of an account: `sign-in` is another sign-in, which replaces the session. */
export type Proof = "totp" | "recovery" | "passkey" | "password" | "sign-in" | "email"

/** Why an account is suspended. */
export type SuspensionReason = "abuse" | "security" | "payment" | "request" | "other"

/** The argument of `PublicKeyCredential.signalUnknownCredential`. */
export type UnknownCredential = { rpId: string; credentialId: string }

type CodeOf<Response> = Response extends { content: { "application/json": { code?: string } } }
  ? NonNullable<Response["content"]["application/json"]["code"]>
  : never

/** Has one member for each code, so that a comparison of the code narrows the rest. */
type ErrorOf<Code extends string, Status> = Code extends string
  ? {
      code: Code
      status: Status
      /** For people. */
      message: string
    } & (Status extends 400
      ? {
          /** The fields that were refused, where it is about fields. */
          issues: Issue[]
        }
      : unknown) &
      (Code extends "STEP_UP_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SECOND_FACTOR_MISSING"
        ? {
            /** Step-up methods that the account has; empty if a required factor is missing. */
            ways: Proof[]
          }
        : unknown) &
      (Code extends "ACCOUNT_SUSPENDED" ? { reason: SuspensionReason } : unknown) &
      (Code extends "PASSKEY_REFUSED"
        ? {
            /** Set for a passkey that the service does not have. The client has told the browser. */
            unknownCredential?: UnknownCredential
          }
        : unknown) &
      (Status extends 429 | 503
        ? {
            /** Seconds, where the answer names them. */
            retryAfter?: number
          }
        : unknown)
  : never

type DescribedError<Id extends OperationId> = {
  [Status in keyof Responses<Id>]: ErrorOf<CodeOf<Responses<Id>[Status]>, Status>
}[keyof Responses<Id>]

/** Errors of the transport, which no description lists. */
export type TransportError =
  | {
      /** No answer. A browser does not say why: no network, or an origin that the service does not trust. */
      code: "UNREACHABLE"
      message: string
      cause: unknown
    }
  | {
      /** The signal of the call has aborted it. */
      code: "ABORTED"
      message: string
      cause: unknown
    }
  | {
      /** Not an answer of the service: of something between, or of a version that this client does not know. */
      code: "UNEXPECTED_ANSWER"
      message: string
      status: number
      /** How it begins. */
      cause: string
    }

export type Failure<Id extends OperationId> = DescribedError<Id> | TransportError

/** Any failure of any operation, for what tells people. */
export type AnyFailure = {
  code: string
  message: string
  status?: number | string
  issues?: Issue[]
  ways?: Proof[]
  reason?: SuspensionReason
  unknownCredential?: UnknownCredential
  retryAfter?: number
}

export type Result<Id extends OperationId> =
  | {
      data: Answer<Id>
      error?: undefined
    }
  | { data?: undefined; error: Failure<Id> }

export type CallOptions = { signal?: AbortSignal | undefined }

type Nothing = [input?: Record<string, never> | undefined, options?: CallOptions]

/** A body without fields is described with any name and no value: it may be left out, too. */
type Arguments<Id extends OperationId> = keyof Input<Id> extends never
  ? Nothing
  : string extends keyof Input<Id>
    ? Nothing
    : Partial<Input<Id>> extends Input<Id>
      ? [input?: Input<Id> | undefined, options?: CallOptions]
      : [input: Input<Id>, options?: CallOptions]

/** A redirect is a page to open: the operation gives its URL and sends nothing. */
type Operation<Id extends OperationId> = [Answer<Id>] extends [never]
  ? (input: Input<Id>) => string
  : (...given: Arguments<Id>) => Promise<Result<Id>>

/** Every operation, by feature. */
export type Operations = {
  [Noun in keyof Calls]: {
    [Name in keyof Calls[Noun]]: Name extends OperationId ? Operation<Name> : never
  }
}
