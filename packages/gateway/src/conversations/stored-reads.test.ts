import { expect, test } from 'bun:test'
import { testHeaders } from '../../../http/test-support/serve.ts'
import { createStoredReads, sentFrom } from './stored-reads.ts'

const MEBIBYTE = 1024 * 1024
const opened = () => createStoredReads(() => 16 * MEBIBYTE)

test('an account may read one response of any size, more within a quarter, and leaves the other half to others', () => {
  const reads = opened()
  const large = reads.enter(1n, 7 * MEBIBYTE)
  expect(() => reads.enter(1n, 1)).toThrow('Other stored responses of this account are being read')
  reads.enter(2n, MEBIBYTE)
  expect(() => reads.enter(3n, 1)).toThrow('no memory for this stored response')
  large.resize(MEBIBYTE)
  reads.enter(1n, MEBIBYTE)
  reads.enter(3n, MEBIBYTE)
  large.release()
  large.release()
  expect(() => reads.enter(1n, 4 * MEBIBYTE)).toThrow('Other stored responses')
  reads.enter(1n, 3 * MEBIBYTE)
})

test('a long response keeps its memory until it has been sent', async () => {
  const reads = opened()
  const body = Uint8Array.from({ length: 5 * MEBIBYTE }, (_, index) => index % 251)
  const response = sentFrom(reads.enter(1n, 10 * MEBIBYTE), testHeaders(), body)
  if (response.body instanceof Uint8Array) throw new Error('it was not streamed')
  expect(response.body.length).toBe(body.length)
  const written: Uint8Array[] = []
  const last = await response.body.run({
    write(bytes) {
      written.push(bytes)
      expect(() => reads.enter(1n, MEBIBYTE)).toThrow()
      return undefined
    },
  })
  expect(Buffer.concat([...written, last]).equals(body)).toBe(true)
  reads.enter(1n, MEBIBYTE)
})

test('a short response is sent at once', () => {
  const reads = opened()
  expect(sentFrom(reads.enter(1n, 10 * MEBIBYTE), testHeaders(), new Uint8Array(1_000)).body).toBeInstanceOf(Uint8Array)
  reads.enter(1n, 10 * MEBIBYTE)
})
