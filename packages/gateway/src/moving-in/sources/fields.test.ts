import { expect, test } from 'bun:test'
import { booleanOf, decimalOf, integerOf, jsonOf, listOf, nanosOf, textOf, timeOf } from './fields.ts'

test('decimals are exact, however they are written', () => {
  const written = ['7.5e-08', '0.50', 1e-6, '5.999999999999999e-05', 1e21, '-0.0', '-1.25', 0, '12.', '1e3', 6e-7]
  expect(written.map(decimalOf)).toEqual([
    ...['0.000000075', '0.5', '0.000001', '0.00005999999999999999', '1000000000000000000000', '0', '-1.25', '0'],
    ...['12', '1000', '0.0000006'],
  ])
  expect(['', 'NaN', 'Infinity', '1,5', null, undefined, '0x10'].map(decimalOf)).toEqual(Array(7).fill(undefined))
})

test('amounts are rounded half up to 10^-9 USD', () => {
  expect(['5.999999999999999e-05', '0.0000000005', '0.00000000049', '-1.5', '20'].map(nanosOf)).toEqual([
    ...[60_000n, 1n, 0n, -1_500_000_000n, 20_000_000_000n],
  ])
  expect(['1e30', 'Infinity', null].map(nanosOf)).toEqual([undefined, undefined, undefined])
})

test('each engine has its own booleans, integers and texts', () => {
  expect(['t', 'true', 1, 1n, 'f', 'false', 0, null, 'yes'].map(booleanOf)).toEqual([
    ...[true, true, true, true, false, false, false, undefined, undefined],
  ])
  expect(['60', 60, 60n, ' 7 ', '1.5', '', null].map(integerOf)).toEqual([
    60,
    60,
    60,
    7,
    undefined,
    undefined,
    undefined,
  ])
  expect([new TextEncoder().encode('é'), 5, '', null].map(textOf)).toEqual(['é', '5', '', undefined])
})

test('times without a zone are UTC', () => {
  const times = ['2026-11-18 16:49:10.88', '2026-11-18 17:49:10.880123+01', '2026-11-18T16:49:10Z', '2026-11-18', null]
  expect(times.map(timeOf)).toEqual([1795020550880, 1795020550880, 1795020550000, undefined, undefined])
})

test('lists are PostgreSQL arrays or JSON', () => {
  expect(['{}', '{a,b-c}', '{"a b","c\\"d\\\\",e}', '["x"]', 'a', '{a', '{"a}', '[1]', null].map(listOf)).toEqual([
    ...[[], ['a', 'b-c'], ['a b', 'c"d\\', 'e'], ['x'], undefined, undefined, undefined, undefined, undefined],
  ])
  expect(['{"a": 1}', new TextEncoder().encode('[1]'), '{', null].map(jsonOf)).toEqual([
    { a: 1 },
    [1],
    undefined,
    undefined,
  ])
})
