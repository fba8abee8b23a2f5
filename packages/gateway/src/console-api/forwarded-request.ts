// A request of the playground as the gateway's own endpoints see it: their path, and the credential of the account's built-in key instead
// of the browser's cookie.
import type { HttpRequest } from '@trivium/http/request.ts'

/** The headers of the browser that the endpoints read. */
const PASSED_ON = [
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'accept',
  'idempotency-key',
  'x-forwarded-for',
  'forwarded',
  'user-agent',
]

export function forwardedRequest(http: HttpRequest, target: string, secret: string): HttpRequest {
  const own: Readonly<Record<string, string>> = { authorization: `Bearer ${secret}` }
  const isPassedOn = (name: string) => PASSED_ON.includes(name)
  return {
    method: http.method,
    target,
    body: http.body,
    queuedMs: http.queuedMs,
    headers: {
      get: (name) => own[name] ?? (isPassedOn(name) ? http.headers.get(name) : null),
      getAll: (name) => (own[name] !== undefined ? [own[name]] : isPassedOn(name) ? http.headers.getAll(name) : []),
    },
    address: () => http.address(),
    get isDisconnected() {
      return http.isDisconnected
    },
    get onDisconnect() {
      return http.onDisconnect
    },
    set onDisconnect(run) {
      http.onDisconnect = run
    },
  }
}
