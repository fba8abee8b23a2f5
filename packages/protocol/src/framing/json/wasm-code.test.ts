import { describe, expect, test } from 'bun:test'
import * as wasm from './wasm-code.ts'

type Exported = Record<string, (...numbers: number[]) => number>

function load(functions: Record<string, wasm.Func>, ...data: wasm.Data[]) {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const module = new WebAssembly.Module(Buffer.from(wasm.moduleOf(functions, ...data)))
  const exports = new WebAssembly.Instance(module, { host: { memory } }).exports as Exported
  const run = (name: string, ...numbers: number[]) => exports[name]?.(...numbers)
  return { run, memory: new Uint8Array(memory.buffer) }
}

const twoGiven = (result: wasm.Value): wasm.Func => ({ given: ['a', 'b'], code: [], result })

describe('numbers', () => {
  const { add, and, isAbove, isBelow, isEqual, isUnequal, or, shiftLeft, shiftRight, subtract, xor } = wasm
  const table: [string, wasm.Code, number, number, number][] = [
    ['add', add('a', 'b'), 5, -7, -2],
    ['subtract', subtract('a', 'b'), 5, 7, -2],
    ['and', and('a', 'b'), 12, 10, 8],
    ['or', or('a', 'b'), 12, 10, 14],
    ['xor', xor('a', 'b'), 12, 10, 6],
    ['shiftLeft', shiftLeft('a', 'b'), 3, 4, 48],
    ['shiftRight, unsigned', shiftRight('a', 'b'), -1, 28, 15],
    ['isEqual', isEqual('a', 'b'), 3, 3, 1],
    ['isUnequal', isUnequal('a', 'b'), 3, 3, 0],
    ['isBelow, unsigned', isBelow('a', 'b'), 3, -1, 1],
    ['isAbove, unsigned', isAbove('a', 'b'), 3, -1, 0],
    ['isZero', wasm.isZero('a'), 0, 0, 1],
    ['not', wasm.not('a'), 5, 0, -6],
    ['lowestBit', wasm.lowestBit('a'), 24, 0, 3],
    ['lowestBit of none', wasm.lowestBit('a'), 0, 0, 32],
  ]
  for (const [name, code, a, b, result] of table)
    test(name, () => expect(load({ f: twoGiven(code) }).run('f', a, b)).toBe(result))

  test('constants of any size', () => {
    for (const number of [0, 1, -1, 63, 64, -64, -65, 127, 128, 8191, 8192, 0x7fffffff, -0x80000000])
      expect(load({ f: twoGiven(number) }).run('f', 0, 0)).toBe(number)
  })
})

test('memory: bytes and words at any address and offset', () => {
  const stored: wasm.Func = {
    given: ['to'],
    code: [wasm.storeWord('to', 300, 0x01020304), wasm.storeByte(wasm.add('to', 1), 7)],
    result: wasm.add(wasm.wordAt('to', 300), wasm.byteAt('to', 301)),
  }
  const { run, memory } = load({ stored })
  expect(run('stored', 3)).toBe(0x01020304 + 3)
  expect([memory[4], memory[303], memory[306]]).toEqual([7, 4, 1])
})

test('sixteen bytes at once: a bit for each that is wanted', () => {
  const wanted: wasm.Func = {
    given: ['at', 'byte', 'other'],
    sixteens: ['bytes'],
    code: wasm.set('bytes', wasm.sixteenAt('at', 200)),
    result: wasm.bitsOf(
      wasm.eachOr(wasm.eachEqual('bytes', wasm.sixteenOf('byte')), wasm.eachEqual('bytes', wasm.sixteenOf('other'))),
    ),
  }
  const { run, memory } = load({ wanted })
  memory.set([5, 0, 5, 0, 6], 201)
  memory[216] = 6
  expect(run('wanted', 1, 5, 6)).toBe(0b1000_0000_0001_0101)
})

test('blocks are left, loops begin again, functions call each other', () => {
  const { add, block, call, go, goIf, increase, isAbove, isEqual, loop, set, when } = wasm
  const double: wasm.Func = { given: ['n'], code: [], result: add('n', 'n') }
  // 1 + 2 + 3 ..., doubled, until it is above the limit; 4 is left out.
  const sum: wasm.Func = {
    given: ['limit'],
    numbers: ['n', 'total'],
    code: block((done) =>
      loop((again) => [
        increase('n', 1),
        when(isEqual('n', 4), go(again)),
        set('total', add('total', call('double', 'n'))),
        goIf(done, isAbove('total', 'limit')),
        when(isEqual('n', 100), wasm.giveBack(-1)),
        go(again),
      ]),
    ),
    result: 'total',
  }
  const { run } = load({ double, sum })
  expect(run('sum', 20)).toBe(22)
  expect(run('sum', 1_000_000)).toBe(-1)
})

test('an unknown name, and a branch to a block that does not enclose it, throw', () => {
  const outside = { given: [], code: wasm.go({}), result: 0 }
  expect(() => wasm.moduleOf({ outside })).toThrow('a label is not known here')
  expect(() => wasm.moduleOf({ f: twoGiven('c') })).toThrow('c is not known here')
  expect(() => wasm.moduleOf({ f: twoGiven(wasm.call('g', 1)) })).toThrow('g is not known here')
})

test('bytes that are smaller, and bytes that stand in the memory from the beginning', () => {
  const smaller: wasm.Func = {
    given: ['at', 'limit'],
    code: [],
    result: wasm.bitsOf(wasm.eachBelow(wasm.sixteenAt('at'), wasm.sixteenOf('limit'))),
  }
  const { run, memory } = load({ smaller }, { address: 300, bytes: [5, 200, 31, 32] }, { address: 9, bytes: [7] })
  expect([...memory.subarray(299, 305), memory[9]]).toEqual([0, 5, 200, 31, 32, 0, 7])
  memory.fill(255, 304, 400)
  expect([run('smaller', 300, 32), run('smaller', 300, 33), run('smaller', 300, 255)]).toEqual([0b101, 0b1101, 0b1111])
})
