import { describe, expect, test } from 'bun:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type Decoded, type Encoding, openDecoder } from './content-decoding.ts'

const TEXT = Buffer.from(
  JSON.stringify({ greeting: 'héllo wörld '.repeat(20), numbers: Array.from({ length: 99 }, Math.sqrt) }),
)

async function decode(encoding: Encoding, ...pieces: Uint8Array[]): Promise<Decoded> {
  const decoder = openDecoder(encoding, 100_000)
  for (const piece of pieces) await decoder.write(piece)
  return decoder.end()
}

const SENT: [string, Encoding, Buffer][] = [
  ['gzip', 'gzip', gzipSync(TEXT)],
  ['deflate', 'deflate', deflateSync(TEXT)],
  ['br', 'br', brotliCompressSync(TEXT)],
  ['zstd', 'zstd', zstdCompressSync(TEXT)],
  ['zstd of few bytes', 'zstd', zstdCompressSync(TEXT.subarray(0, 40))],
]

describe.each(SENT)('%s', (_, encoding, sent) => {
  test('only the complete body is accepted, wherever it is cut off', async () => {
    const accepted: number[] = []
    for (let length = 1; length <= sent.length; length++)
      if (typeof (await decode(encoding, sent.subarray(0, length))) !== 'string') accepted.push(length)
    expect(accepted).toEqual([sent.length])
  })

  test('decodes to the same wherever it is split', async () => {
    const whole = await decode(encoding, sent)
    for (let at = 1; at < sent.length; at += 3)
      expect(await decode(encoding, sent.subarray(0, at), sent.subarray(at))).toEqual(whole)
  })
})

test('several frames are one body, as in gzip and zstd', async () => {
  const [head, tail] = [TEXT.subarray(0, 100), TEXT.subarray(100)]
  for (const [encoding, encode] of [
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const)
    expect(await decode(encoding, Buffer.concat([encode(head), encode(tail)]))).toEqual(TEXT)
})

test('a decoder that was discarded takes nothing more', async () => {
  const decoder = openDecoder('gzip', 100)
  await decoder.write(gzipSync(TEXT).subarray(0, 20))
  decoder.discard()
  expect(await decoder.write(Uint8Array.of(1))).toBe(false)
  expect(await decoder.end()).toBe('corrupt')
})
