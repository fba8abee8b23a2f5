// An MP4 file with one video track. The index stands before the samples, so that playback can begin while it is loaded.

import { PROFILE } from './h264.ts'

export type Mp4 = {
  width: number
  height: number
  framesPerSecond: number
  sps: Uint8Array
  pps: Uint8Array
  /** One NAL unit for each frame, the first one a key frame. */
  frames: readonly Uint8Array[]
}

type Bytes = Uint8Array<ArrayBuffer>
const TICKS_PER_FRAME = 512

const concat = (parts: readonly Uint8Array[]): Bytes => new Uint8Array(Buffer.concat(parts))
const u8 = (...values: number[]): Bytes => Uint8Array.from(values)
const u16 = (...values: number[]): Bytes => u8(...values.flatMap((value) => [value >>> 8, value & 255]))
const u32 = (...values: number[]): Bytes =>
  u8(...values.flatMap((value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]))
const ascii = (text: string): Bytes => Uint8Array.from(Buffer.from(text, 'latin1'))
const box = (type: string, ...parts: Uint8Array[]): Bytes => {
  const length = parts.reduce((sum, part) => sum + part.length, 8)
  return concat([u32(length), ascii(type), ...parts])
}
/** A box with version and flags. */
const full = (type: string, flags: number, ...parts: Uint8Array[]): Bytes => box(type, u32(flags), ...parts)

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

export function encodeMp4(video: Mp4): Bytes {
  const { frames, framesPerSecond } = video
  const scale = framesPerSecond * TICKS_PER_FRAME
  const duration = frames.length * TICKS_PER_FRAME
  const head = box('ftyp', ascii('isom'), u32(512), ascii('isomiso2avc1mp41'))
  // The place of the samples depends on the length of the index, which does not depend on the place.
  const index = (offset: number) =>
    box(
      'moov',
      movieHeader(scale, duration),
      box('trak', trackHeader(video, duration), media(video, scale, duration, offset)),
    )
  const offset = head.length + index(0).length + 8
  const samples = frames.flatMap((frame) => [u32(frame.length), frame])
  return concat([head, index(offset), box('mdat', ...samples)])
}

const movieHeader = (scale: number, duration: number): Bytes =>
  full('mvhd', 0, u32(0, 0, scale, duration, 0x10000), u16(0x100, 0), u32(0, 0), MATRIX, u32(0, 0, 0, 0, 0, 0, 2))

/** Flags: enabled, in the movie, in previews. */
const trackHeader = ({ width, height }: Mp4, duration: number): Bytes =>
  full('tkhd', 7, u32(0, 0, 1, 0, duration, 0, 0), u16(0, 0, 0, 0), MATRIX, u32(width * 65_536, height * 65_536))

function media(video: Mp4, scale: number, duration: number, offset: number): Bytes {
  const undetermined = 0x55c4
  const dataHere = full('dref', 0, u32(1), full('url ', 1))
  return box(
    'mdia',
    full('mdhd', 0, u32(0, 0, scale, duration), u16(undetermined, 0)),
    full('hdlr', 0, u32(0), ascii('vide'), u32(0, 0, 0), ascii('sandbox-video\0')),
    box('minf', full('vmhd', 1, u16(0, 0, 0, 0)), box('dinf', dataHere), sampleTable(video, offset)),
  )
}

/** All samples stand in one chunk. */
function sampleTable({ frames, width, height, sps, pps }: Mp4, offset: number): Bytes {
  const sets = concat([u8(0xe1), u16(sps.length), sps, u8(1), u16(pps.length), pps])
  // Version 1; NAL units are preceded by their length in four bytes.
  const configuration = box('avcC', u8(1, ...PROFILE, 0xff), sets)
  const name = new Uint8Array(32)
  const entry = box(
    'avc1',
    ...[u16(0, 0, 0, 1), u32(0, 0, 0, 0), u16(width, height), u32(0x480000, 0x480000, 0), u16(1), name],
    ...[u16(24, 0xffff), configuration],
  )
  return box(
    'stbl',
    full('stsd', 0, u32(1), entry),
    full('stts', 0, u32(1, frames.length, TICKS_PER_FRAME)),
    full('stss', 0, u32(1, 1)),
    full('stsc', 0, u32(1, 1, frames.length, 1)),
    full('stsz', 0, u32(0, frames.length), u32(...frames.map((frame) => frame.length + 4))),
    full('stco', 0, u32(1, offset)),
  )
}
