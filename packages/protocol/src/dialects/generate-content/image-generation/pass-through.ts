// Replies of this dialect for clients of this dialect, whose bytes pass through: what of them is metered, and the model's name.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { Finish } from '../../../canonical/finish.ts'
import type { ReplyImage } from '../../../canonical/image.ts'
import { isObject } from '../../../canonical/reading.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { fieldNamed, scanObject } from '../../../framing/json/json-scan.ts'
import { parseThin, type ThinJson, wholeJson } from '../../../framing/json/thin-json.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { decodeUsage } from '../reply/usage.ts'
import { gather, nothing } from './decode-reply.ts'

export type PassedChunk =
  | {
      ok: true
      json: Pieces
      /** Those in it; sketches that a model makes while it reasons are none. */
      images: readonly ReplyImage[]
      /** It has parts, or ends the reply. */
      hasOutput: boolean
      /** It says why the reply ends: only the last chunk does, but of some models every one. */
      isEnd: boolean
    }
  | { ok: false; error: ErrorInfo }

export type PassedReply = {
  /** The next chunk; an unstreamed reply is one chunk. */
  read(thin: ThinJson): PassedChunk
  /** The usage in all chunks so far. */
  usage(): Usage | undefined
  readonly finish: Finish | undefined
}

/** `renameTo`: the model's name that the client knows, where the upstream's differs. */
export function openPassedReply(renameTo: string | undefined, codec: Codec): PassedReply {
  const gathered = nothing()
  return {
    read(thin) {
      const chunk = parseThin(thin, codec)
      const before = gathered.finish
      gathered.finish = undefined
      const error = gather(chunk, gathered, thin, codec)
      if (error) return { ok: false, error }
      const isEnd = gathered.finish !== undefined
      gathered.finish ??= before
      gathered.sketches.length = 0
      const images = gathered.images.splice(0)
      return { ok: true, json: renamed(thin, renameTo, codec), images, hasOutput: isEnd || hasParts(chunk), isEnd }
    },
    usage: () => decodeUsage(gathered.usage, undefined),
    get finish() {
      return gathered.finish
    },
  }
}

function hasParts(chunk: unknown): boolean {
  const candidates = isObject(chunk) && Array.isArray(chunk.candidates) ? chunk.candidates.filter(isObject) : []
  return candidates.some(({ content }) => isObject(content) && Array.isArray(content.parts) && content.parts.length > 0)
}

function renamed(thin: ThinJson, renameTo: string | undefined, codec: Codec): Pieces {
  const { bytes } = thin
  const scan = renameTo === undefined ? undefined : scanObject(bytes, codec)
  const field = scan?.ok ? fieldNamed(scan.fields, 'modelVersion') : undefined
  if (field?.kind !== 'string') return wholeJson(thin, 0, bytes.length)
  const name = codec.encode(JSON.stringify(renameTo))
  return [...wholeJson(thin, 0, field.start), name, ...wholeJson(thin, field.end, bytes.length)]
}
