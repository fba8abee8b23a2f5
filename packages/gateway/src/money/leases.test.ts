// Leases and nodes to the millisecond: what a store says of who comes too late, and of who comes twice.
import { expect, test } from 'bun:test'
import { emptyRows, memoryBook } from '../../../../tools/simulation/memory-book.ts'
import { apply, DEAD_AFTER_MS, done, rejected, repeated, type Verb } from './ledger.ts'

const NOW = 1_700_000_000_000

function openLedger() {
  const rows = emptyRows()
  return { rows, at: (ms: number, verb: Verb) => apply(memoryBook(rows, NOW + ms), verb) }
}

const acquire = (holder: string): Verb => ({ verb: 'acquire_lease', lease: 'job', holder, ttlMs: 5_000 })

test('who finds a lease taken is told for how long', () => {
  const { at } = openLedger()
  expect(at(0, acquire('one'))).toEqual(done(1n))
  expect(at(1_000, acquire('two'))).toEqual(rejected('lease_taken', 4_000n))
  expect(at(4_999, acquire('two'))).toEqual(rejected('lease_taken', 1n))
  expect(at(5_000, acquire('two'))).toEqual(done(2n))
})

test('a lease is renewed and released by its holder alone, and released once', () => {
  const { rows, at } = openLedger()
  at(0, acquire('one'))
  expect(at(4_000, { verb: 'renew_lease', lease: 'job', epoch: 1, ttlMs: 5_000 })).toEqual(done(0n))
  expect(at(8_000, acquire('two'))).toEqual(rejected('lease_taken', 1_000n))
  expect(at(8_000, { verb: 'release_lease', lease: 'job', epoch: 1 })).toEqual(done(0n))
  expect(rows.leases.get('job')).toEqual({ name: 'job', epoch: 1, holder: '', expiresAt: 0 })
  expect(at(8_000, { verb: 'release_lease', lease: 'job', epoch: 1 })).toEqual(repeated(0n))
  expect(at(8_000, acquire('two'))).toEqual(done(2n))
})

test('a node that is as old as a dead one is dead', () => {
  const { at } = openLedger()
  at(0, { verb: 'join', nodeId: 3, config: '' })
  const renew: Verb = { verb: 'renew', nodeId: 3, epoch: 1, config: '' }
  expect(at(DEAD_AFTER_MS - 1, renew)).toEqual(done(1n))
  expect(at(2 * DEAD_AFTER_MS - 1, renew)).toEqual(rejected('node_lost'))
})
