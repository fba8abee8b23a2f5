import { expect, test } from 'bun:test'
import { readAtMost } from './read-response.ts'
import type { UpstreamResponse } from './upstream-response.ts'

/** The progress that is reported for a body that arrives in these pieces. */
async function told(...texts: string[]): Promise<string[]> {
  const pieces = texts.map((text) => Buffer.from(text))
  const heard: string[] = []
  const watch = {
    received: (piece: Uint8Array) => heard.push(`a piece of ${piece.length}`),
    resetIdle: () => heard.push('alive'),
  }
  const read = () => Promise.resolve(pieces.shift())
  const reply: UpstreamResponse = { status: 200, header: () => null, read, cancel: () => {} }
  expect(Buffer.from((await readAtMost(reply, 100, watch)) ?? []).toString()).toBe(texts.join(''))
  return heard
}

test('blanks before a body are keep-alives, within it they are part of it', async () => {
  expect(await told(' ', '\r\n', '{"a":', ' ', '1}')).toEqual([
    'alive',
    'alive',
    'a piece of 5',
    'a piece of 1',
    'a piece of 2',
  ])
})

test('a piece that begins with blanks belongs to the body', async () => {
  expect(await told(' {', ' ', '}')).toEqual(['a piece of 2', 'a piece of 1', 'a piece of 1'])
})

const MEBIBYTE = 1024 * 1024

// [status, announced length, what is read]
const CASES: [number, number | undefined, 'whole' | 'pieces' | 'nothing'][] = [
  [200, 3, 'whole'],
  [200, MEBIBYTE, 'whole'],
  // Progress resets the idle timeout.
  [200, MEBIBYTE + 1, 'pieces'],
  [200, 3 * MEBIBYTE, 'nothing'],
  // The size limit is enforced while reading.
  [200, undefined, 'pieces'],
  // Reading may be cancelled.
  [503, 3, 'pieces'],
]

test.each(CASES)('status %d with an announced length of %p: %s', async (status, length, expected) => {
  let read = 'nothing'
  const reply: UpstreamResponse = {
    status,
    length,
    header: () => null,
    cancel: () => {},
    async read() {
      read = 'pieces'
      return undefined
    },
    async readWhole() {
      read = 'whole'
      return new Uint8Array()
    },
  }
  await readAtMost(reply, 2 * MEBIBYTE)
  expect(read).toBe(expected)
})

test('an endless body without an announced length is read up to the limit', async () => {
  let cancelled = 0
  const reply: UpstreamResponse = {
    status: 200,
    header: () => null,
    cancel: () => cancelled++,
    read: async () => new Uint8Array(1_000),
    readWhole: () => new Promise(() => {}),
  }
  expect(await readAtMost(reply, 10_000)).toBeUndefined()
  expect(cancelled).toBe(1)
})
