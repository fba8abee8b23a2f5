import { expect, test } from 'bun:test'
import { createMediaReads } from './media-reads.ts'

const from = (network: string, wideNetwork = `${network} wide`) => ({ network, wideNetwork })
const times = <T>(count: number, run: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => run(i))
const begun = (results: readonly unknown[]): number => results.filter((result) => typeof result === 'function').length

test('one network reads an object a few times at once; others, and other objects, are not affected', () => {
  const reads = createMediaReads(100, 8)
  const first = times(20, () => reads.begin('one', from('a')))
  expect([begun(first), first.at(-1)]).toEqual([8, 'object'])
  expect(begun([reads.begin('one', from('b')), reads.begin('two', from('a'))])).toBe(2)
  const [end] = first
  if (typeof end !== 'function') throw new Error('not begun')
  end()
  end()
  expect(begun(times(2, () => reads.begin('one', from('a'))))).toBe(1)
})

test('a wide network has at most half of all reads, and a sixteenth is left for those that have none', () => {
  const reads = createMediaReads(64, 8)
  expect(begun(times(100, (index) => reads.begin(`${index}`, from(`a ${index}`, 'a'))))).toBe(32)
  expect(begun(times(100, (index) => reads.begin(`${index}`, from(`b ${index}`, 'b'))))).toBe(28)
  expect(begun(times(100, (index) => reads.begin('one', from(`c ${index}`))))).toBe(4)
  expect(reads.begin('one', from('d'))).toBe('all')
})

test('nothing is kept of reads that have ended', () => {
  const reads = createMediaReads(64, 8)
  for (let round = 0; round < 100; round++) {
    const ends = times(8, () => reads.begin('one', from('a')))
    expect(begun(ends)).toBe(8)
    for (const end of ends) if (typeof end === 'function') end()
  }
})
