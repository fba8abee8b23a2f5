// The body of a messages request as clouds take it that host the model: some have its name and `stream` in the path, and none of them
// knows the request's own `cache_control`.

import type { Codec } from '../../../framing/codec.ts'
import { editFields, type FieldEdits } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, scanObject } from '../../../framing/json/json-scan.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { markLastBlock } from './cache-control.ts'

export type HostedRequest = {
  model: string
  stream: boolean
  /** With these edits; fields that are in `add` alone are set where the request has none. */
  body(edits: Partial<FieldEdits> & { add?: FieldEdits['set'] }): Pieces
}

/** `bytes`: a request that this gateway has written or checked. */
export function readHostedRequest(bytes: Uint8Array, codec: Codec): HostedRequest {
  const scan = scanObject(bytes, codec)
  if (!scan.ok) throw new Error(`a request that cannot be hosted: the body ${scan.message}`)
  const { fields } = scan
  const model = fieldNamed(fields, 'model')
  const mark = fieldNamed(fields, 'cache_control')
  return {
    model: model ? String(codec.parse(bytes.subarray(model.start, model.end))) : '',
    stream: fieldNamed(fields, 'stream')?.kind === 'true',
    body({ set = [], remove = [], add = [] }) {
      const moved = mark && markLastBlock(bytes, fields, mark, codec)
      const added = add.filter(({ name }) => !fieldNamed(fields, name))
      const edits = {
        set: [...set, ...added, ...(moved ? [moved] : [])],
        remove: [...remove, ...(mark ? [mark.name] : [])],
      }
      return editFields(bytes, scan, edits, codec)
    },
  }
}
