// What every wire dialect has, whatever it carries: errors, credentials, a version, and how its upstreams are called.

import type { ErrorInfo, RenderedError } from '../canonical/error.ts'

type Headers = { get(name: string): string | null }

export type DialectDescription = {
  /** Its name in the list of dialects. */
  id: string
  /** Where its clients send their key besides `Authorization: Bearer`, the preferred header first, and how errors say it. */
  credential: { headers: readonly string[]; example: string }
  /** Headers that name the version of the protocol, and their check, which throws RequestError. Absent: no version. */
  version?: { headers: readonly string[]; check(headers: Headers): void }
  endpoint: DialectEndpoint
  /** Client headers that are forwarded to an upstream of the same dialect. */
  carriedHeaders: readonly string[]
  /** A whole response, while nothing has been sent yet. */
  encodeError(error: ErrorInfo, requestId: string): RenderedError
  /** The last thing to write into a stream that has begun. After it: close, and no sign of success. */
  encodeStreamError(error: ErrorInfo, requestId: string): string
  /** An upstream's error, as this gateway's own. `status` is the HTTP status, or 200 for an error inside a stream. */
  decodeError(status: number, body: unknown): ErrorInfo
}

/** Where and how an upstream is called in this dialect, unless its description differs: as the vendor's SDK does it. */
export type DialectEndpoint = {
  /** How a base URL ends. Empty: not in /v1. */
  basePath: string
  /** Below the base URL. */
  path: string
  /** Lists the models without cost. Below the base URL. */
  modelsPath: string
  /** `bearer`: `authorization: Bearer KEY`. Otherwise the name of the header with the key. */
  credential: 'bearer' | 'x-api-key' | 'x-goog-api-key'
  /** Required with every request. */
  headers?: Readonly<Record<string, string>>
  /** Where the tokens of a request are counted that is sent to `path`. Absent: the dialect has no such endpoint. */
  countPath?(path: string, model: string): string
  /** Fills the placeholders of a path. Absent: it has none. */
  fillPath?(path: string, model: string, stream: boolean): string
}

export const BEARER = { headers: [], example: "'Authorization: Bearer sk-...'" } as const

/** What the path of a request says, where the dialect says it there and not in the body. */
export type PathParameters = { model: string; stream: boolean }
