// How long audio lasts, by real files read in the thread; and files that no thread should be kept by.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wavOf } from '../../../../../test/support/requests/audio.ts'
import { createAudioDurations } from './audio-durations.ts'

const folder = mkdtempSync(join(tmpdir(), 'trivium-audio-'))
const durations = createAudioDurations()
afterAll(() => {
  durations.close()
  rmSync(folder, { recursive: true, force: true })
})

let files = 0
function fileOf(bytes: Uint8Array): string {
  const path = join(folder, String(++files))
  writeFileSync(path, bytes)
  return path
}

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes and 1,152 samples each. */
function mp3Of(frames: number): Buffer {
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x00])
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}

/** As browsers record it: neither the segment nor its clusters have a size, and nothing says how long it is. */
function webmOf(...clusters: { at: number; blocks: number[] }[]): Buffer {
  const unknown = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
  const block = (time: number) => [0xa3, 0x85, 0x81, time >> 8, time & 0xff, 0x80, 0x00]
  const cluster = ({ at, blocks }: { at: number; blocks: number[] }) => [
    ...[0x1f, 0x43, 0xb6, 0x75, ...unknown, 0xe7, 0x82, at >> 8, at & 0xff],
    ...blocks.flatMap(block),
  ]
  const head = [0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84, ...Buffer.from('webm')]
  const track = [0xd7, 0x81, 1, 0x83, 0x81, 2, 0x86, 0x86, ...Buffer.from('A_OPUS')]
  const tracks = [0x16, 0x54, 0xae, 0x6b, 0x80 + track.length + 2, 0xae, 0x80 + track.length, ...track]
  return Buffer.from([...head, 0x18, 0x53, 0x80, 0x67, ...unknown, ...tracks, ...clusters.flatMap(cluster)])
}

test.each<[string, Uint8Array, number | undefined]>([
  ['WAV', wavOf(2.5), 2.5],
  ['MP3', mp3Of(200), 5.224],
  ['a recording of a browser', webmOf({ at: 0, blocks: [0, 500] }, { at: 32_000, blocks: [20, 1_500] }), 33.51],
  ['a recording without a block', webmOf(), undefined],
  ['something else', Buffer.from('no audio at all'), undefined],
  ['nothing', Buffer.alloc(0), undefined],
])('%s', async (_, bytes, seconds) => {
  const measured = await durations.measure(1n, fileOf(bytes))
  expect(measured && Math.round(measured.seconds * 1_000) / 1_000).toEqual(seconds)
})

/** The header of a WAV file with one of its fields changed. */
function wavWith(at: number, value: number): Buffer {
  const wav = wavOf(60)
  wav.writeUIntLE(value, at, at === 40 ? 4 : 2)
  return wav
}

/** A first frame that says how many there are. */
function mp3Saying(frames: number, real: number): Buffer {
  const [first, rest] = [mp3Of(1), mp3Of(real)]
  first.write('Info', 36)
  first.writeUInt32BE(1, 40)
  first.writeUInt32BE(frames, 44)
  return Buffer.concat([first, rest])
}

test.each<[string, Uint8Array, number]>([
  ['a WAV file whose blocks are said to be long', wavWith(32, 60_000), 60],
  ['a WAV file that says how little of it is sound', wavWith(40, 16_000), 60],
  ['an MP3 file that says it has few frames', mp3Saying(38, 2_000), 52.271],
])('what decides is counted: %s', async (_, bytes, seconds) => {
  const measured = await durations.measure(1n, fileOf(bytes))
  expect(measured).toEqual({ seconds: expect.closeTo(seconds, 2), isCounted: true })
})

const ONE = { seconds: 1, isCounted: true }

test('a file that is gone', async () => {
  expect(await durations.measure(1n, join(folder, 'none'))).toBeUndefined()
})

test('a file that the parser does not come back from costs the thread, and no other file', async () => {
  const code = `self.onmessage = ({ data: { path } }) => { while (path === 'spin'); self.postMessage({ seconds: 1, isCounted: true }) }`
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
  const limited = createAudioDurations({ limitMs: 300, code: Promise.resolve(url) })
  const [stuck, next] = [limited.measure(1n, 'spin'), limited.measure(2n, 'fine')]
  expect([await stuck, await next]).toEqual([undefined, ONE])
  limited.close()
})

test('an account with many files leaves room for another', async () => {
  const code = 'self.onmessage = () => setTimeout(() => self.postMessage({ seconds: 1, isCounted: true }), 20)'
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
  const slow = createAudioDurations({ code: Promise.resolve(url) })
  const greedy = Array.from({ length: 100 }, () => slow.measure(1n, 'x'))
  let waiting = greedy.length
  for (const each of greedy.slice(0, 8)) void each.then(() => waiting--)
  expect(await slow.measure(2n, 'x')).toEqual(ONE)
  // The one that was read when it came, and the next at most.
  expect(greedy.length - waiting).toBeLessThanOrEqual(2)
  const measured = (await Promise.all(greedy)).filter((seconds) => seconds !== undefined)
  expect(measured.length).toBe(8)
  slow.close()
})
