// Leases and nodes to the millisecond: what a store says of who comes too late, and of who comes twice.
import { expect, test } from 'bun:test'
import { emptyRows, memoryBook } from '../../../../tools/simulation/memory-book.ts'
import {
  type AcquireLease,
  apply,
  DEAD_AFTER_MS,
  done,
  HELD,
  type RequestRow,
  rejected,
  repeated,
  SETTLED,
  type Verb,
  type Witness,
} from './ledger.ts'

const NOW = 1_700_000_000_000

function openLedger() {
  const rows = emptyRows()
  return { rows, at: (ms: number, verb: Verb) => apply(memoryBook(rows, NOW + ms), verb) }
}

const acquire = (holder: string): AcquireLease => ({ verb: 'acquire_lease', lease: 'job', holder, ttlMs: 5_000 })

test('who finds a lease taken is told for how long', () => {
  const { at } = openLedger()
  expect(at(0, acquire('one'))).toEqual(done(1n))
  expect(at(1_000, acquire('two'))).toEqual(rejected('lease_taken', 4_000n))
  expect(at(4_999, acquire('two'))).toEqual(rejected('lease_taken', 1n))
  expect(at(5_000, acquire('two'))).toEqual(done(2n))
})

test('who asks for a lease twice has it', () => {
  const { at } = openLedger()
  at(0, acquire('one'))
  expect(at(1_000, acquire('one'))).toEqual(repeated(1n))
  expect(at(5_000, { verb: 'renew_lease', lease: 'job', epoch: 1, ttlMs: 5_000 })).toEqual(rejected('lease_lost'))
})

test('a lease that ends later than any may is from before the clock was set back', () => {
  const { at } = openLedger()
  at(0, acquire('one'))
  expect(at(-1_000, { ...acquire('two'), longestMs: 6_000 })).toEqual(rejected('lease_taken', 6_000n))
  expect(at(-1_001, { ...acquire('two'), longestMs: 6_000 })).toEqual(done(2n))
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

test('a database that lacks what it confirmed to a node has lost commits', () => {
  const { rows, at } = openLedger()
  at(0, { verb: 'join', nodeId: 3, config: 'a' })
  const renew = (witness: Witness, epoch = 1): Verb => ({ verb: 'renew', nodeId: 3, epoch, config: 'b', witness })
  const none = { renewals: 0, ended: undefined }
  expect(at(1, renew(none))).toEqual(done(1n))
  expect(rows.nodes.get(3)).toEqual({ nodeId: 3, epoch: 1, renewedAt: NOW + 1, renewals: 1, config: 'b' })
  expect(at(2, renew({ renewals: 1, ended: undefined }))).toEqual(done(2n))
  expect(at(3, renew({ renewals: 3, ended: undefined }))).toEqual(rejected('commits_lost'))
  // A later process, and a node, of which nothing is stored.
  expect(at(3, renew(none, 2))).toEqual(rejected('commits_lost'))
  expect(at(3, { ...renew(none), nodeId: 4 } as Verb)).toEqual(rejected('commits_lost'))
  at(3, { verb: 'join', nodeId: 3, config: 'c', takeover: true })
  expect(at(3, renew({ renewals: 9, ended: undefined }))).toEqual(rejected('node_lost'))
  expect(at(3, { verb: 'renew', nodeId: 4, epoch: 1, config: '' })).toEqual(rejected('node_lost'))
  // The last request that was ended.
  const ended = renew({ renewals: 0, ended: 7n }, 2)
  expect(at(4, ended)).toEqual(rejected('commits_lost'))
  rows.requests.set(7n, { state: HELD } as RequestRow)
  expect(at(4, ended)).toEqual(rejected('commits_lost'))
  rows.requests.set(7n, { state: SETTLED } as RequestRow)
  expect(at(4, ended)).toEqual(done(1n))
})

test('a node is taken as long as it lives, and leaves once', () => {
  const { rows, at } = openLedger()
  const join: Verb = { verb: 'join', nodeId: 3, config: '' }
  expect(at(0, join)).toEqual(done(1n))
  expect(at(DEAD_AFTER_MS - 1, join)).toEqual(rejected('node_taken'))
  expect(at(DEAD_AFTER_MS, join)).toEqual(done(2n))
  expect(at(DEAD_AFTER_MS, { verb: 'leave', nodeId: 3, epoch: 1 })).toEqual(repeated(0n))
  expect(at(DEAD_AFTER_MS, { verb: 'leave', nodeId: 3, epoch: 2 })).toEqual(done(0n))
  expect(rows.nodes.get(3)).toMatchObject({ epoch: 2, renewedAt: 0 })
  expect(at(DEAD_AFTER_MS, join)).toEqual(done(3n))
})
