// Field `http` of an upstream: the required HTTP version.

import { addMistake } from '../../../yaml/document.ts'
import type { Fields } from '../../../yaml/fields.ts'
import { readWord } from '../../../yaml/scalars.ts'
import type { Upstream } from '../../types.ts'

/** Absent: HTTP/2 if the upstream offers it. HTTP/2 where it cannot work is a mistake, since every request would fail. */
export function readHttp(
  fields: Fields,
  { baseUrl, proxy }: Pick<Upstream, 'baseUrl' | 'proxy'>,
): Pick<Upstream, 'http'> {
  const written = fields.get('http')
  const versions = readWord<'1.1' | '2'>(['1.1', '2'], {
    '2.0': 'write 2',
    '3': 'HTTP/3 is not supported; write 2 or 1.1',
  })
  const http = fields.optional<'1.1' | '2' | undefined>('http', versions, undefined)
  if (http === undefined) return {}
  if (written && http === '2' && baseUrl.startsWith('http:')) {
    addMistake(written, 'HTTP/2 requires an https base_url; change it or remove this field')
  }
  if (written && http === '2' && proxy !== undefined) {
    addMistake(written, 'HTTP/2 is not supported through a proxy; remove this field or proxy')
  }
  return { http }
}
