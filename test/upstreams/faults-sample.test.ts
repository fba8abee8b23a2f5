// A sample of `npm run faults`: most faults, in pass-through for each dialect, and in one translated pair of dialects.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Fault } from '../../faults/fault.ts'
import { type FaultRunner, type Outcome, startFaultRunner } from '../../faults/suite.ts'
import { FAULTS } from '../../faults/table.ts'

setDefaultTimeout(180_000)

const AT_ONCE = 4
const share = FAULTS.filter(({ fullRunOnly: onlyInFull }) => !onlyInFull)
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
