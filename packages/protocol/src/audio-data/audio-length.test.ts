// How long audio lasts by its bytes, however they are cut: files of an encoder, and what a server writes that cannot go back.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openAudioLength } from './audio-length.ts'
import { wavHeader } from './wav-header.ts'

/** The sandbox's prepared audio: 1.5 seconds, and what an encoder adds to fill its frames. */
const source = readFileSync(join(import.meta.dir, '../../../sandbox/src/speech/tones.ts'), 'utf8')
const tones = (format: string) =>
  new Uint8Array(Buffer.from(new RegExp(`${format}: '([^']+)'`).exec(source)?.[1] ?? '', 'base64'))
const tag = (text: string, length: number) =>
  new Uint8Array([...new TextEncoder().encode(text), ...new Array(length).fill(0)])
const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
const silence = (seconds: number) => new Uint8Array(48_000 * seconds)
const id3 = new Uint8Array([...new TextEncoder().encode('ID3'), 4, 0, 0, 0, 0, 1, 2, ...new Array(130).fill(0xff)])
/** Total samples unknown. */
const streamedFlac = tones('flac').map((byte, at) => (at === 21 ? byte & 0xf0 : at > 21 && at < 26 ? 0 : byte))

test.each<[string, Uint8Array, number | undefined, number | undefined]>([
  // 65 frames of 576 samples at 24 kHz.
  ['mp3', tones('mp3'), undefined, 1.56],
  ['mp3 after a tag', joined(id3, tones('mp3')), undefined, 1.56],
  ['aac', tones('aac'), undefined, 1.578_667],
  ['opus', tones('opus'), undefined, 1.5],
  ['flac', tones('flac'), undefined, 1.5],
  ['flac of unknown length', streamedFlac, undefined, undefined],
  ['wav of unknown length', joined(wavHeader(24_000), silence(2)), undefined, 2],
  ['wav where pcm was asked for', joined(wavHeader(48_000), silence(2)), 24_000, 1],
  ['pcm', silence(0.25), 24_000, 0.25],
  ['pcm at another rate', silence(1), 8_000, 3],
  ['no audio', tag('<!doctype html>', 500), undefined, undefined],
])('%s', (_, bytes, rawRate, seconds) => {
  for (const cut of [1, 7, 1_000, bytes.length]) {
    const length = openAudioLength(rawRate)
    for (let at = 0; at < bytes.length; at += cut) length.push(bytes.subarray(at, at + cut))
    if (seconds === undefined) expect(length.seconds()).toBeUndefined()
    else expect(length.seconds()).toBeCloseTo(seconds, 5)
  }
})
