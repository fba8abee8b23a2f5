// A sample of `npm run faults`: most faults, in pass-through for each dialect, and in one translated pair of dialects.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import type { Fault } from '../../faults/fault.ts'
import { type FaultRunner, type Outcome, startFaultRunner } from '../../faults/suite.ts'
import { FAULTS } from '../../faults/table.ts'
import { FAULT_NAMES } from '../../packages/sandbox/src/delivery/faults.ts'

const AT_ONCE = 4
const share = FAULTS.filter(({ fullRunOnly }) => !fullRunOnly)

test('the sample has each of the sandbox’s switches', () => {
  const all = share.flatMap(({ switches }) => TEXT_DIALECT_IDS.map((dialect) => switches?.(dialect) ?? ''))
  const names = new Set(all.flatMap((each) => each.split(',')).map((each) => each.split('=')[0]))
  expect(FAULT_NAMES.filter((name) => !names.has(name))).toEqual([])
})

test('the sample has each kind of fault that the full run has', () => {
  for (const property of ['at', 'timeouts', 'heavy', 'own', 'only', 'garbled'] as const)
    expect([property, valuesOf(share, property)]).toEqual([property, valuesOf(FAULTS, property)])
})

const valuesOf = (faults: readonly Fault[], property: keyof Fault) =>
  [...new Set(faults.map((fault) => JSON.stringify(fault[property])))].sort()

const light = share.filter(({ heavy }) => !heavy)
const heavy = share.filter((fault) => fault.heavy)

let stage: FaultRunner
const outcomes = new Map<Fault, PromiseWithResolvers<Outcome>>(light.map((fault) => [fault, Promise.withResolvers()]))

beforeAll(async () => {
  stage = await startFaultRunner(share, 'small')
  const waiting = [...outcomes]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [fault, { resolve, reject }] = next
      await stage.run(fault).then(resolve, reject)
    }
  }
  for (let worker = 0; worker < AT_ONCE; worker++) void work()
})
afterAll(async () => {
  expect((await stage.close()).all).toEqual([])
})

test.each(light.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
  expect((await outcomes.get(fault)?.promise)?.findings.all).toEqual([])
})

test.each(heavy.map((fault) => [fault.name, fault] as const))('%s, by itself', async (_, fault) => {
  expect((await stage.run(fault)).findings.all).toEqual([])
})
