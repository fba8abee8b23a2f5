// A request to an upstream, before it is put on the wire.
import type { Cancel } from '@trivium/http/cancel.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Upstream } from '../config/types.ts'
import type { Called, RequestRecord } from '../observe/request-record.ts'
import type { CredentialState } from './credentials/credential.ts'
import type { HttpVersion } from './transport.ts'

export type OutgoingRequest = {
  /** Absent: POST. */
  method?: 'GET' | 'DELETE'
  path: string
  dialect: DialectId
  /** Pieces are written one by one by our HTTP client, and joined for `fetch`. */
  body: Pieces | StreamedUpload
  /** Absent: JSON. */
  contentType?: string
  stream: boolean
  /** Headers of the client's that may be passed on. They override required ones. */
  headers: Record<string, string>
  key: string
  cancel: Cancel
  /** The request that it is sent for, and the upstream's name of the model. Absent: it is sent outside of any request. */
  origin?: { record: RequestRecord } & Pick<Called, 'model' | 'operation'>
  /** Never sent again, not even after a stale connection: a new one is used. */
  isOnce?: true
}

/** A body that is read from disk while it is sent. */
export type StreamedUpload = { length: number; open(): ReadableStream<Uint8Array> }

export type Send = ((upstream: Upstream, outgoing: OutgoingRequest) => Promise<UpstreamResponse>) & {
  /** The HTTP version of the next request to an upstream; undefined: not known yet. */
  httpVersionOf?(upstream: Upstream): HttpVersion | undefined
  /** The upstream has `auth`. */
  credentialState?(upstream: Upstream): CredentialState
}
