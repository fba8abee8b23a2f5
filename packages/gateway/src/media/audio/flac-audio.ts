// How long FLAC and AIFF files last, by their frames and samples.
import type { FileWindow } from './file-window.ts'
import { flacFrame, GOOD_BYTES_PER_SECOND, PACKET_HEAD_BYTES } from './packets.ts'
import { roundedTo } from './rounded.ts'

/** `start`: of `fLaC`. Frames are found by their first bytes and the checksum of their headers. */
export function flacSeconds(file: FileWindow, start: number): number | undefined {
  let at = start + 4
  let [rate, total] = [0, 0]
  for (let isLast = false; !isLast && at + 4 <= file.size; ) {
    const head = file.read(at, 26)
    const type = head[0] ?? 0
    isLast = type >= 0x80
    if ((type & 0x7f) === 0 && head.length >= 22) {
      rate = head.readUIntBE(14, 3) >> 4
      total = ((head[17] ?? 0) & 15) * 2 ** 32 + head.readUInt32BE(18)
    }
    at += 4 + head.readUIntBE(1, 3)
  }
  if (rate === 0) return undefined
  const frames = at
  let [samples, end] = [0, at]
  for (at = file.find(SYNC, at); at !== -1; at = file.find(SYNC, at + 1)) {
    const frame = flacFrame(file.read(at, PACKET_HEAD_BYTES))
    if (!frame) continue
    samples += frame.samples
    end = at
  }
  if (samples === 0) return Math.max(total / rate, (file.size - frames) / GOOD_BYTES_PER_SECOND)
  const rest = Math.max(0, file.size - end - LONGEST_FRAME) / GOOD_BYTES_PER_SECOND
  return roundedTo(samples / rate, total / rate) + rest
}

const SYNC = Buffer.from([0xff])
/** The last one has no other behind it. */
const LONGEST_FRAME = 256 * 1024

/** Uncompressed samples alone. */
export function aiffSeconds(file: FileWindow): number | undefined {
  let perSecond = 0
  for (let at = 12; at + 8 <= file.size; ) {
    const head = file.read(at, 30)
    const name = head.toString('latin1', 0, 4)
    const length = head.readUInt32BE(4)
    if (name === 'COMM' && head.length >= 26) {
      const isPlain = length < 22 || ['NONE', 'sowt', 'twos'].includes(head.toString('latin1', 26, 30))
      // The exponent and the upper half of a number of 80 bits.
      const rate = head.readUInt32BE(18) * 2 ** ((head.readUInt16BE(16) & 0x7fff) - 16_383 - 31)
      perSecond = isPlain ? rate * head.readUInt16BE(8) * Math.ceil(head.readUInt16BE(14) / 8) : 0
    }
    if (name === 'SSND') return perSecond > 0 ? (file.size - at - 16) / perSecond : undefined
    at += 8 + length + (length % 2)
  }
  return undefined
}
