// Encrypted reasoning in the stream of a stored response whose client did not ask for it. The last events keep it until they are stored.

import { hideEncrypted } from '@trivium/protocol/dialects/responses/state/hide-encrypted.ts'
import { codec } from '../../bytes/codec.ts'
import type { Answerer } from './outbound.ts'

const MARK = Buffer.from('"encrypted_content"')
const { indexOf } = Buffer.prototype

/** The same answerer: its meters pass whole events on. */
export function hidingEncrypted(answerer: Answerer): Answerer {
  const openMeter = answerer.openMeter.bind(answerer)
  return Object.assign(answerer, {
    openMeter() {
      const meter = openMeter()
      const push = meter.push.bind(meter)
      return Object.assign(meter, {
        push(chunk: Uint8Array) {
          const bytes = push(chunk)
          if (indexOf.call(bytes, MARK) < 0) return bytes
          return codec.encode(hideEncrypted(codec.decode(bytes, 0, bytes.length), codec))
        },
      })
    },
  })
}
