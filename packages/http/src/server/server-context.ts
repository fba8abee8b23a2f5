import type { HttpRequest } from '../request.ts'
import type { HttpResponse } from '../response.ts'
import type { AdmissionGate } from './admission-gate.ts'

export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** What a connection needs of its server. */
export type ServerContext<Connection> = {
  handle: Handler
  gate: AdmissionGate
  /** A clock in milliseconds, accurate to within one tick. */
  now(): number
  /** The `date` header line. */
  date(): string
  /** Connections are closed after their next response. */
  isDraining(): boolean
  /** Idle connections are closed, too. */
  isStopping(): boolean
  closed(connection: Connection): void
  /** Reports an internal error. */
  failed(error: unknown): void
  /** Counts a request that was rejected as malformed, or whose head never arrived. */
  malformed(): void
}
