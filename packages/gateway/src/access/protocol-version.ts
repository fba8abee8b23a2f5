// The messages protocol demands a version: by the vendor's name of the header, or by the specification's.
import type { RequestHeaders } from '@trivium/http/request.ts'
import { Failure } from './failure.ts'

/** What the official SDKs send: 0.x the first, 1.x the second. */
const VENDOR_VERSIONS = ['2023-06-01', '2026-10-21']

export function checkVersion(headers: RequestHeaders): void {
  const own = headers.get('msg-version')
  const vendor = headers.get('anthropic-version')
  if (own === '2023-06-01' || (own === null && vendor !== null && VENDOR_VERSIONS.includes(vendor))) return
  const got = own ?? vendor
  const problem = got === null ? 'The header is missing.' : `'${got.slice(0, 40)}' is not a known version.`
  const required = 'anthropic-version: 2023-06-01 (or msg-version: 2023-06-01) is required.'
  throw new Failure('bad_request', `${required} ${problem}`, { param: 'anthropic-version' })
}
