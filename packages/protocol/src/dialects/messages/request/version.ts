// The dialect requires a version: in the vendor's header, or in the one that the specification names.

import { RequestError } from '../../../canonical/reading.ts'

/** What the official SDKs send: 0.x the first, 1.x the second. */
const VENDOR_VERSIONS = ['2023-06-01', '2026-10-21']

export const version = {
  headers: ['anthropic-version', 'msg-version'],
  check(headers: { get(name: string): string | null }): void {
    const own = headers.get('msg-version')
    const vendor = headers.get('anthropic-version')
    if (own === '2023-06-01' || (own === null && vendor !== null && VENDOR_VERSIONS.includes(vendor))) return
    const got = own ?? vendor
    const sent = own === null ? 'anthropic-version' : 'msg-version'
    const message =
      got === null
        ? 'anthropic-version: 2023-06-01 (or msg-version: 2023-06-01) is required. The header is missing.'
        : `${sent}: '${got.slice(0, 40)}' is not a known version. Send ${sent}: 2023-06-01.`
    throw new RequestError('bad_request', sent, message)
  },
}
