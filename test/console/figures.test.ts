import { expect, test } from 'bun:test'
import { axisRoom, ticksFor, tickText } from '../../packages/console/src/charts/scale.ts'
import { formatCount, roundUsd, roundUsdInTable } from '../../packages/console/src/i18n/figures.ts'

test.each([
  ['0.00', '0.00'],
  ['0', '0.00'],
  ['12', '12.00'],
  ['1234.565000001', '1234.57'],
  ['1234.564999999', '1234.56'],
  ['999.995', '1000.00'],
  ['1.004', '1.00'],
  ['0.996', '1.00'],
  ['0.125', '0.13'],
  ['0.1', '0.10'],
  ['0.0996', '0.10'],
  ['0.004888', '0.0049'],
  ['0.000236', '0.00024'],
  ['0.000000001', '0.000000001'],
  ['0.00000012', '0.00000012'],
  ['-0.004888', '-0.0049'],
  ['-12.346', '-12.35'],
  ['123456789012345678.125', '123456789012345678.13'],
  ['unlimited', 'unlimited'],
])('%s USD is read as %s', (usd, rounded) => {
  expect(roundUsd(usd)).toBe(rounded)
})

test.each([
  ['1.3733327', '1.37'],
  ['0.01375620', '0.01376'],
  ['12.345', '12.35'],
  ['99994.03977426', '99994.04'],
  ['0.000000001', '0.000000001'],
  ['0.99996', '1.00'],
  ['0.02', '0.02'],
])('%s USD is read in a table as %s', (usd, rounded) => {
  expect(roundUsdInTable(usd)).toBe(rounded)
})

test.each([
  [0, '0', '0'],
  [987_654, '987,654', '987,654'],
  [999_999, '999,999', '999,999'],
  [1_000_000, '1M', '100万'],
  [12_345_678, '12.3M', '1230万'],
  [9_876_543_210, '9.88B', '98.8亿'],
])('%d is read as %s, and in Chinese as %s', (value, english, chinese) => {
  expect([formatCount(value, 'en'), formatCount(value, 'zh-CN')]).toEqual([english, chinese])
})

test.each([
  [1_200, 56],
  [0.0000745, 72],
])('an axis up to %d USD has %d px for its labels', (most, room) => {
  expect(axisRoom(ticksFor(most).map((tick) => tickText(tick, 'en')))).toBe(room)
})
