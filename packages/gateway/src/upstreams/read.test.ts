import { expect, test } from 'bun:test'
import { readAtMost } from './read.ts'
import type { Reply } from './reply.ts'

/** Tells what the watch is told of an answer that comes in these pieces. */
async function told(...texts: string[]): Promise<string[]> {
  const pieces = texts.map((text) => Buffer.from(text))
  const heard: string[] = []
  const watch = {
    received: (piece: Uint8Array) => heard.push(`a piece of ${piece.length}`),
    spared: () => heard.push('alive'),
  }
  const read = () => Promise.resolve(pieces.shift())
  const reply: Reply = { status: 200, header: () => null, read, cancel: () => {} }
  expect(Buffer.from((await readAtMost(reply, 100, watch)) ?? []).toString()).toBe(texts.join(''))
  return heard
}

test('blanks before an answer are signs of life, and within it they are nothing special', async () => {
  expect(await told(' ', '\r\n', '{"a":', ' ', '1}')).toEqual([
    'alive',
    'alive',
    'a piece of 5',
    'a piece of 1',
    'a piece of 2',
  ])
})

test('an answer that begins with blanks has begun', async () => {
  expect(await told(' {', ' ', '}')).toEqual(['a piece of 2', 'a piece of 1', 'a piece of 1'])
})
