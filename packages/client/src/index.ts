export { type Client, createClient } from "./client.ts"
export type {
  AnyFailure,
  Answer,
  Failure,
  Input,
  Issue,
  OperationId,
  Proof,
  SuspensionReason,
  Result,
  TransportError,
  UnknownCredential,
} from "./operation.ts"
export type { Session, SessionState, SessionStore } from "./session-store.ts"
