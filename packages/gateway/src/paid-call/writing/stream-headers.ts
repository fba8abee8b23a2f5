import type { ResponseHeaders } from '@trivium/http/response.ts'

/** nginx, and proxies that follow it, would otherwise collect a stream and send it at its end. */
export const UNBUFFERED = 'x-accel-buffering'

/** The response is a stream of this type: events, or the elements of a JSON array. */
export function setStreamHeaders(headers: ResponseHeaders, contentType: string): void {
  headers.set('content-type', contentType)
  headers.set(UNBUFFERED, 'no')
}
