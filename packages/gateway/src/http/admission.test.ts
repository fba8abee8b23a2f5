import { expect, test } from 'bun:test'
import { createAdmission } from './admission.ts'

test('counts requests and their weight; a place is given back once', () => {
  const admission = createAdmission({ inFlight: 2, memoryBytes: 100 })
  const first = admission.enter(60)
  expect(admission.enter(50)).toBeUndefined()
  first?.resize(10)
  const second = admission.enter(50)
  expect([admission.inFlight, admission.bytes, admission.enter(0)]).toEqual([2, 60, undefined])
  first?.leave()
  first?.leave()
  first?.resize(1_000)
  expect([admission.inFlight, admission.bytes]).toEqual([1, 50])
  second?.leave()
  expect([admission.inFlight, admission.bytes]).toEqual([0, 0])
})

test('one that is larger than everything gets in when nothing is held', () => {
  const admission = createAdmission({ inFlight: 2, memoryBytes: 100 })
  expect(admission.enter(1_000)).toBeDefined()
  expect(admission.enter(1)).toBeUndefined()
})

test('limits can change while requests run', () => {
  const admission = createAdmission({ inFlight: 1, memoryBytes: 100 })
  admission.enter(1)
  expect(admission.enter(1)).toBeUndefined()
  admission.setLimits({ inFlight: 2, memoryBytes: 100 })
  expect(admission.enter(1)).toBeDefined()
})
