// An unstreamed reply on its way through: read by the dialect's own decoder, passed on in its own bytes.

import { finishOf } from '../../../canonical/finish.ts'
import { parsedJson } from '../../../canonical/reading.ts'
import { outputBytesOf } from '../../../canonical/reply.ts'
import type { Codec } from '../../../framing/codec.ts'
import { scanObject } from '../../../framing/json/json-scan.ts'
import { splice } from '../../../framing/splice.ts'
import type { EchoedField, PassThroughReply } from '../../pass-through.ts'
import type { DecodedReply } from '../../text-dialect.ts'

/** `modelField`: what the dialect calls the model's name in a reply. */
export function readPassThroughReply(
  bytes: Uint8Array,
  codec: Codec,
  dialect: { decodeReply(body: unknown): DecodedReply; modelField: string },
  renameTo: string | undefined,
  echo: readonly EchoedField[] = [],
): PassThroughReply {
  // The scan limits how deep the value may be nested before it is parsed.
  const scan = scanObject(bytes, codec)
  const body = scan.ok ? parsedJson(codec.decode(bytes, 0, bytes.length)) : undefined
  if (!scan.ok || body === undefined)
    return { ok: false, error: { code: 'upstream_error', message: 'The reply is not valid JSON' } }
  const decoded = dialect.decodeReply(body)
  if (!decoded.ok) return decoded
  const { reply } = decoded
  const stop = reply.choices.findLast((choice) => choice.stop !== undefined)?.stop
  const model = renameTo === undefined ? [] : [{ name: dialect.modelField, json: JSON.stringify(renameTo) }]
  const changed = new Map([...model, ...echo].map((field: EchoedField) => [field.name, field]))
  const edits = scan.fields.flatMap(({ name, kind, start, end }) => {
    const field = changed.get(name)
    return field && (kind === 'string' || field.always) ? [{ start, end, bytes: codec.encode(field.json) }] : []
  })
  // What is always told is told where the upstream says nothing, too.
  const missing = echo.filter(({ name, always }) => always && !scan.fields.some((field) => field.name === name))
  const added = missing.map(({ name, json }) => `${JSON.stringify(name)}:${json},`).join('')
  const open = scan.fields[0]?.keyStart
  if (added !== '' && open !== undefined) edits.unshift({ start: open, end: open, bytes: codec.encode(added) })
  return {
    ok: true,
    usage: reply.usage,
    finish: stop && finishOf(stop),
    outputBytes: outputBytesOf(reply),
    body: splice(bytes, edits, codec),
  }
}
