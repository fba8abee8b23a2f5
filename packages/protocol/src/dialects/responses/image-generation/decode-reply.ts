// Images in an unstreamed response: the items of its image tool.

import { errorInfo } from '../../../canonical/error.ts'
import type { DecodedImageReply } from '../../../canonical/image.ts'
import { isObject } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { parseThin, type ThinJson } from '../../../framing/json/thin-json.ts'
import { decodeError } from '../error.ts'
import { decodeItem, decodeResponseUsage, withoutImage } from './decode-item.ts'

export function decodeReply(thin: ThinJson, codec: Codec): DecodedImageReply {
  const body = parseThin(thin, codec)
  if (!isObject(body)) {
    const message = 'The upstream answered with something that is not JSON.'
    return { ok: false, error: errorInfo('upstream_error', message) }
  }
  if (body.status === 'failed' || body.status === 'cancelled' || (body.error !== undefined && body.error !== null))
    return { ok: false, error: decodeError(200, { error: body.error ?? {}, usage: body.usage }) }
  const items = Array.isArray(body.output) ? body.output.flatMap((item) => decodeItem(item, thin, codec) ?? []) : []
  const [first] = items
  if (first === undefined) return { ok: false, error: withoutImage(body) }
  const created = typeof body.created_at === 'number' ? { created: Math.floor(body.created_at) } : {}
  return {
    ok: true,
    reply: {
      images: items.map(({ image }) => image),
      details: first.details,
      usage: decodeResponseUsage(body),
      ...created,
      unknown: [],
    },
  }
}
