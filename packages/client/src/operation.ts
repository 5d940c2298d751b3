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
 * Allows undefined for optional fields, even under `exactOptionalPropertyTypes`, and a null cursor for the
 * first page.
 */
type Lenient<Given> = {
  [Key in keyof Given]:
    | Given[Key]
    | (Partial<Pick<Given, Key>> extends Pick<Given, Key> ? undefined : never)
    | (Key extends "cursor" ? null : never)
}

type Responses<Id extends OperationId> = operations[Id]["responses"]

/** The response of an operation, as JSON. Times are ISO 8601 texts. */
export type Answer<Id extends OperationId> =
  Responses<Id> extends { 200: { content: { "application/json": infer Json } } } ? Json : never

/** A field that the service refused. */
export type Issue = {
  path: (string | number)[]
  /** For people. */
  message: string
  /** The limit that was broken: characters of a text, entries of a list, or a number. */
  minimum?: number
  maximum?: number
}

/** A step-up method of an account. `sign-in` means to sign in again, which replaces the session. */
export type Proof = "totp" | "recovery" | "passkey" | "password" | "sign-in" | "email"

/** Why an account is suspended. */
export type SuspensionReason = "abuse" | "security" | "payment" | "request" | "other"

/** The argument of `PublicKeyCredential.signalUnknownCredential`. */
export type UnknownCredential = { rpId: string; credentialId: string }

type CodeOf<Response> = Response extends { content: { "application/json": { code?: string } } }
  ? NonNullable<Response["content"]["application/json"]["code"]>
  : never

/** A union with one member for each code, so that comparing `code` narrows the type. */
type ErrorOf<Code extends string, Status> = Code extends string
  ? {
      code: Code
      status: Status
      /** For people. */
      message: string
    } & (Status extends 400
      ? {
          /** The fields that were refused; empty if the error is not about fields. */
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
            /** Set if the service does not have the passkey. The client has told the browser. */
            unknownCredential?: UnknownCredential
          }
        : unknown) &
      (Status extends 429 | 503
        ? {
            /** Seconds to wait; undefined if the response does not name them. */
            retryAfter?: number
          }
        : unknown)
  : never

type DescribedError<Id extends OperationId> = {
  [Status in keyof Responses<Id>]: ErrorOf<CodeOf<Responses<Id>[Status]>, Status>
}[keyof Responses<Id>]

/** Errors of the transport, which the API's description does not list. */
export type TransportError =
  | {
      /** No network, or an origin that the service does not trust. Browsers do not tell which. */
      code: "UNREACHABLE"
      message: string
      cause: unknown
    }
  | {
      /** The signal of the call aborted it. */
      code: "ABORTED"
      message: string
      cause: unknown
    }
  | {
      /** The response is from a proxy, or from a version of the service that this client does not know. */
      code: "UNEXPECTED_ANSWER"
      message: string
      status: number
      /** The beginning of the response. */
      cause: string
    }

export type Failure<Id extends OperationId> = DescribedError<Id> | TransportError

/** Any failure of any operation, for code that shows it to users. */
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

/** A body without fields has an index signature in the description. It may also be left out. */
type Arguments<Id extends OperationId> = keyof Input<Id> extends never
  ? Nothing
  : string extends keyof Input<Id>
    ? Nothing
    : Partial<Input<Id>> extends Input<Id>
      ? [input?: Input<Id> | undefined, options?: CallOptions]
      : [input: Input<Id>, options?: CallOptions]

/** An operation that redirects sends nothing. It returns the URL of the page to open. */
type Operation<Id extends OperationId> = [Answer<Id>] extends [never]
  ? (input: Input<Id>) => string
  : (...given: Arguments<Id>) => Promise<Result<Id>>

/** Every operation, by feature. */
export type Operations = {
  [Noun in keyof Calls]: {
    [Name in keyof Calls[Noun]]: Name extends OperationId ? Operation<Name> : never
  }
}
