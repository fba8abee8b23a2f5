// How long audio lasts by its packets, whatever its container says: no file is cheaper for what it says of itself.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flac, mp4, ogg, tone, webm } from '../../../../../test/support/requests/audio-files.ts'
import { countAudio } from './counted-audio.ts'

const folder = mkdtempSync(join(tmpdir(), 'trivium-counted-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function secondsOf(bytes: Uint8Array): Promise<number | undefined> {
  const path = join(folder, 'file')
  writeFileSync(path, bytes)
  return (await countAudio(path))?.seconds
}

const ID3 = Buffer.from('ID3\x04\0\0\0\0\0\x05hello', 'latin1')
const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0]), Buffer.alloc(413)])
/** MPEG-1 layer II, which decoders of MP3 decode, too. */
const LAYER_2 = Buffer.concat(
  Array.from({ length: 1_000 }, () => Buffer.from([0xff, 0xfd, 0x80, 0, ...Buffer.alloc(413)])),
)
const AIFF = Buffer.concat([
  Buffer.from(
    'FORM\0\0\0\0AIFFCOMM\0\0\0\x12\0\x02\0\0\0\x01\0\x10\x40\x0e\xac\x44\0\0\0\0\0\0SSND\0\0\0\x08',
    'latin1',
  ),
  Buffer.alloc(8 + 44_100 * 4 * 3),
])
const MINUTE = 3_000
/** 60 seconds of AAC. */
const MINUTE_OF_AAC = 1_406

test.each<[string, Uint8Array, number]>([
  ['WebM that says 0.001 s', webm(MINUTE), 60],
  ['WebM with laced blocks', webm(MINUTE, { laced: 6 }), 60],
  ['Matroska with AAC at another rate', webm(MINUTE_OF_AAC, { codec: 'A_AAC' }), 60],
  ['WebM that says the truth', webm(MINUTE, { said: 60 }), 60],
  ['Ogg whose pages say 0.001 s', ogg(MINUTE), 60],
  ['Ogg that says the truth', ogg(MINUTE, 59.9 * 48_000), 59.9],
  ['Ogg of an encoder', tone('opus'), 1.5],
  ['MP4 whose samples last 1/96,000 s', mp4(MINUTE_OF_AAC), 60],
  ['MP4 that says the truth', mp4(MINUTE_OF_AAC, { delta: 4_096 }), 60],
  ['MP4 in fragments', mp4(MINUTE_OF_AAC, { isFragmented: true }), 60],
  ['FLAC that says 16 samples', flac(40), 60],
  ['FLAC of an encoder', tone('flac'), 1.5],
  ['FLAC after a tag', Buffer.concat([ID3, flac(40)]), 60],
  ['AAC', tone('aac'), 1.579],
  ['AIFF that says one sample', AIFF, 3],
])('%s', async (_, bytes, seconds) => {
  expect(Math.abs(((await secondsOf(bytes)) ?? 0) - seconds)).toBeLessThan(seconds * 0.005)
})

test.each<[string, Uint8Array]>([
  ['MP4 whose tables know one sample', mp4(MINUTE_OF_AAC, { listed: 1 })],
  ['MP4 in fragments that know one sample', mp4(MINUTE_OF_AAC, { listed: 1, isFragmented: true })],
  ['WebM that is followed by another', Buffer.concat([webm(1), Buffer.alloc(500_000)])],
  ['MP3 with one frame before those of another layer', Buffer.concat([MP3_FRAME, LAYER_2])],
  ['a tag before something else', Buffer.concat([ID3, MP3_FRAME, webm(MINUTE)])],
  ['Ogg with something between its pages', Buffer.concat([ogg(25), Buffer.alloc(500_000), ogg(25)])],
])('what no decoder is known to make anything of counts as music: %s', async (_, bytes) => {
  expect(await secondsOf(bytes)).toBeGreaterThan((0.95 * (bytes.length - 8_192)) / 16_000)
})

test.each<[string, Uint8Array]>([
  ['WebM without a track', webm(0)],
  ['MP4 without a sample', mp4(0)],
  ['an Ogg page that ends early', ogg(25).subarray(0, 40)],
  ['no audio', Buffer.from('no audio at all')],
  ['nothing', Buffer.alloc(0)],
])('nothing is counted in %s', async (_, bytes) => {
  expect(await secondsOf(bytes).catch(() => undefined)).toBeUndefined()
})

test('files cut anywhere, and files with any byte changed, are counted without end or error', async () => {
  for (const file of [webm(30, { laced: 3 }), ogg(25), mp4(20), mp4(20, { isFragmented: true }), flac(1)])
    for (let at = 0; at < file.length; at += 37) {
      const changed = Buffer.from(file)
      changed[at] = 0xff
      for (const bytes of [file.subarray(0, at), changed]) {
        const seconds = await secondsOf(bytes).catch(() => undefined)
        if (seconds !== undefined) expect(seconds).toBeGreaterThanOrEqual(0)
      }
    }
})
