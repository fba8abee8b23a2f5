import type { HttpRequest } from '../request.ts'
import type { HttpResponse } from '../response.ts'
import type { AdmissionGate } from './admission-gate.ts'

export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** What a connection asks of the server that it belongs to. */
export type ServerContext<Connection> = {
  handle: Handler
  gate: AdmissionGate
  /** Milliseconds, to within a tick. */
  now(): number
  /** The line that tells the time. */
  date(): string
  /** Connections are closed after their next answer. */
  isDraining(): boolean
  /** They are closed also without one. */
  isStopping(): boolean
  closed(connection: Connection): void
  /** Something has happened that should not be possible. */
  failed(error: unknown): void
  /** A request was rejected as no HTTP, or never came to be one. */
  malformed(): void
}
