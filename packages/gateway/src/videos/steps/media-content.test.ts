import { expect, test } from 'bun:test'
import { mediaContent } from './media-content.ts'

async function* sent(...pieces: (string | number[])[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : Uint8Array.from(piece)
}

test.each([
  ['MP4', [[0, 0, 0, 32, 0x66, 0x74, 0x79, 0x70], 'isom']],
  ['WebM', [[0x1a, 0x45, 0xdf, 0xa3], 'rest']],
  ['PNG', [[0x89, 0x50, 0x4e, 0x47]]],
  ['an empty piece before the content', ['', [0, 0, 0, 32, 0x66], '<']],
])('%s passes unchanged', async (_, pieces) => {
  const all = await Array.fromAsync(mediaContent(sent(...pieces)))
  expect(Buffer.concat(all)).toEqual(Buffer.concat(await Array.fromAsync(sent(...pieces))))
})

test.each([
  ['HTML', ['\n <!doctype html><title>Denied</title>'], 'text'],
  ['XML', ['<?xml version="1.0"?><Error/>'], 'text'],
  ['JSON', ['{"error":{}}'], 'text'],
  ['nothing', [], 'nothing'],
  ['only empty pieces', ['', ''], 'nothing'],
])('%s is no media', async (_, pieces, what) => {
  expect(Array.fromAsync(mediaContent(sent(...pieces)))).rejects.toThrow(what)
})
