// The memory of stored responses that are being read: it costs the caller nothing, so it is known before anything is loaded, bounded,
// and released only when the client has received what was read.

import type { HttpResponse, ResponseHeaders } from '@trivium/http/response.ts'
import { Failure } from '../request/failure.ts'

/** Memory of one read, in bytes. */
export type StoredRead = {
  resize(bytes: number): void
  /** Has no effect if called again. */
  release(): void
}

export type StoredReads = {
  /** Throws Failure: 429 if other reads of the account take its share, 503 if those of all accounts take theirs. */
  enter(account: bigint, bytes: number): StoredRead
}

/** A share of the memory for bodies. A single read may be larger than its account's share, or than that of all while there is no other. */
const SHARE_OF_ALL = 1 / 2
const SHARE_OF_ACCOUNT = 1 / 4
const RETRY_SECONDS = 1

export function createStoredReads(memoryBytes: () => number): StoredReads {
  const accounts = new Map<bigint, { bytes: number; reads: number }>()
  const all = { bytes: 0, reads: 0 }

  return {
    enter(account, bytes) {
      const own = accounts.get(account) ?? { bytes: 0, reads: 0 }
      if (own.reads > 0 && own.bytes + bytes > memoryBytes() * SHARE_OF_ACCOUNT) throw tooMuch()
      if (all.reads > 0 && all.bytes + bytes > memoryBytes() * SHARE_OF_ALL) throw noMemory()
      accounts.set(account, own)
      let held = 0
      const add = (reads: number, more: number): void => {
        for (const used of [own, all]) {
          used.reads += reads
          used.bytes += more
        }
        held += more
      }
      add(1, bytes)
      let isReleased = false
      return {
        resize(next) {
          if (!isReleased) add(0, next - held)
        },
        release() {
          if (isReleased) return
          isReleased = true
          add(-1, -held)
          if (own.reads === 0) accounts.delete(account)
        },
      }
    },
  }
}

const tooMuch = (): Failure =>
  new Failure('rate_limit_exceeded', 'Other stored responses of this account are being read. Retry in 1 second.', {
    retryAfter: RETRY_SECONDS,
  })

const noMemory = (): Failure =>
  new Failure('service_unavailable', 'The gateway has no memory for this stored response. Retry in 1 second.', {
    retryAfter: RETRY_SECONDS,
  })

/** What leaves with one write. */
const PIECE_BYTES = 256 * 1024

/** The response, which releases the memory once it has been sent. */
export function sentFrom(read: StoredRead, headers: ResponseHeaders, body: Uint8Array): HttpResponse {
  headers.set('content-type', 'application/json')
  if (body.length <= PIECE_BYTES) {
    read.release()
    return { status: 200, headers, body }
  }
  read.resize(body.length)
  return {
    status: 200,
    headers,
    body: {
      length: body.length,
      async run(sink) {
        try {
          const last = body.length - PIECE_BYTES
          for (let from = 0; from < last; from += PIECE_BYTES)
            await sink.write(body.subarray(from, Math.min(from + PIECE_BYTES, last)))
          return body.subarray(last)
        } finally {
          read.release()
        }
      },
    },
  }
}
