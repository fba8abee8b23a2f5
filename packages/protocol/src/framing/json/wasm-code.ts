// A small assembler for WebAssembly: code is written as nested calls and becomes the bytes of a module when the program
// starts. It knows the few instructions that are used here, by names that read well, and no more. Numbers and order of
// everything: https://webassembly.github.io/spec/core/binary/

/** Instructions: bytes, names of locals and functions, and blocks, which become bytes when the module is put together. */
export type Code = readonly (number | Code | { local: string } | { callee: string } | Block | Branch)[]

/** What an instruction works on: the local of this name, this number, or what the code leaves. */
export type Value = string | number | Code

/** What a branch goes to. Its identity counts. */
type Label = object
type Block = { opcode: number; label: Label; body: Code }
type Branch = { opcode: number; to: Label }

function value(of: Value): Code {
  if (typeof of === 'string') return [0x20, { local: of }]
  return typeof of === 'number' ? [0x41, signed(of)] : of
}

const oneOperand =
  (...opcode: number[]) =>
  (of: Value): Code => [value(of), opcode]
const twoOperands =
  (...opcode: number[]) =>
  (left: Value, right: Value): Code => [value(left), value(right), opcode]

export const set = (local: string, to: Value): Code => [value(to), 0x21, { local }]
export const increase = (local: string, by: Value): Code => set(local, add(local, by))

// Comparisons give 1 or 0 and take numbers as unsigned.
export const isZero = oneOperand(0x45)
export const isEqual = twoOperands(0x46)
export const isUnequal = twoOperands(0x47)
export const isBelow = twoOperands(0x49)
export const isAbove = twoOperands(0x4b)

export const add = twoOperands(0x6a)
export const subtract = twoOperands(0x6b)
export const and = twoOperands(0x71)
export const or = twoOperands(0x72)
export const xor = twoOperands(0x73)
export const shiftLeft = twoOperands(0x74)
export const shiftRight = twoOperands(0x76)
export const not = (of: Value): Code => xor(of, -1)
/** The place of the lowest bit that is one; 32 when there is none. */
export const lowestBit = oneOperand(0x68)

// Memory. The first number after the opcode says that addresses need not be aligned.
export const byteAt = (address: Value, offset = 0): Code => [value(address), 0x2d, 0, unsigned(offset)]
export const wordAt = (address: Value, offset = 0): Code => [value(address), 0x28, 0, unsigned(offset)]
export const storeByte = (address: Value, of: Value): Code => [value(address), value(of), 0x3a, 0, 0]
export const storeWord = (address: Value, offset: number, of: Value): Code => [
  [value(address), value(of)],
  [0x36, 0, unsigned(offset)],
]

// Sixteen bytes at once.
export const sixteenAt = (address: Value, offset = 0): Code => [value(address), 0xfd, 0x00, 0, unsigned(offset)]
export const sixteenOf = oneOperand(0xfd, 0x0f)
export const eachEqual = twoOperands(0xfd, 0x23)
/** As unsigned numbers. */
export const eachBelow = twoOperands(0xfd, 0x26)
export const eachOr = twoOperands(0xfd, 0x50)
/** One bit for each of the sixteen that is true, the first one's the lowest. */
export const bitsOf = oneOperand(0xfd, ...unsigned(0x64))

// Flow. A branch to a block leaves it, a branch to a loop begins it again; a loop that comes to its end is left.
export const block = (body: (end: Label) => Code): Code => labelled(0x02, body)
export const loop = (body: (again: Label) => Code): Code => labelled(0x03, body)
export const when = (condition: Value, then: Code): Code => [value(condition), labelled(0x04, () => then)]
export const go = (to: Label): Code => [{ opcode: 0x0c, to }]
export const goIf = (to: Label, condition: Value): Code => [value(condition), { opcode: 0x0d, to }]
export const giveBack = (of: Value): Code => [value(of), 0x0f]
export const call = (callee: string, ...given: Value[]): Code => [given.map(value), 0x10, { callee }]

function labelled(opcode: number, body: (label: Label) => Code): Code {
  const label = {}
  return [{ opcode, label, body: body(label) }]
}

/** Takes numbers, has numbers and vectors of sixteen bytes as locals (zeros at first), and gives back one number. */
export type Func = { given: string[]; numbers?: string[]; sixteens?: string[]; code: Code; result: Value }

const I32 = 0x7f
const V128 = 0x7b
const END = 0x0b
const NO_RESULT = 0x40

/** Bytes that stand in the memory from the beginning. */
export type Data = { address: number; bytes: readonly number[] }

/** The module's bytes: it imports the memory `host.memory` and exports these functions. */
export function moduleOf(functions: Readonly<Record<string, Func>>, ...data: Data[]): Uint8Array {
  const names = Object.keys(functions)
  const all = Object.values(functions)
  const types = all.map(({ given }) => [0x60, ...list(given.map(() => [I32])), ...list([[I32]])])
  const memory = [...text('host'), ...text('memory'), 0x02, 0x00, 0x01]
  const declared = names.map((_, index) => unsigned(index))
  const exported = names.map((name, index) => [...text(name), 0x00, ...unsigned(index)])
  const bodies = all.map((func) => bodyOf(func, names))
  const filled = data.map(({ address, bytes }) => [0x00, 0x41, ...signed(address), END, ...sized([...bytes])])
  return new Uint8Array([
    0x00,
    0x61,
    0x73,
    0x6d,
    0x01,
    0x00,
    0x00,
    0x00,
    0x01,
    ...sized(list(types)),
    0x02,
    ...sized(list([memory])),
    0x03,
    ...sized(list(declared)),
    0x07,
    ...sized(list(exported)),
    0x0a,
    ...sized(list(bodies)),
    0x0b,
    ...sized(list(filled)),
  ])
}

function bodyOf({ given, numbers = [], sixteens = [], code, result }: Func, functions: string[]): number[] {
  const body = list([
    [...unsigned(numbers.length), I32],
    [...unsigned(sixteens.length), V128],
  ])
  const locals = [...given, ...numbers, ...sixteens]
  write([code, value(result), END], body, { locals, functions, enclosing: [] })
  return sized(body)
}

type Names = { locals: string[]; functions: string[]; enclosing: Label[] }

function write(code: Code, to: number[], names: Names): void {
  for (const part of code) {
    if (typeof part === 'number') to.push(part)
    else if ('local' in part) to.push(...unsigned(placeOf(part.local, names.locals)))
    else if ('callee' in part) to.push(...unsigned(placeOf(part.callee, names.functions)))
    else if ('to' in part) to.push(part.opcode, ...unsigned(placeOf(part.to, names.enclosing)))
    else if ('body' in part) {
      to.push(part.opcode, NO_RESULT)
      write(part.body, to, { ...names, enclosing: [part.label, ...names.enclosing] })
      to.push(END)
    } else write(part, to, names)
  }
}

function placeOf<T>(name: T, among: readonly T[]): number {
  const place = among.indexOf(name)
  if (place < 0) throw new Error(`${typeof name === 'string' ? name : 'a label'} is not known here`)
  return place
}

const sized = (bytes: number[]): number[] => [...unsigned(bytes.length), ...bytes]
const list = (entries: number[][]): number[] => [...unsigned(entries.length), ...entries.flat()]
const text = (name: string): number[] => sized(Array.from(name, (letter) => letter.charCodeAt(0)))

/** Seven bits in each byte, the lowest first; the eighth says that more follow. */
function unsigned(number: number): number[] {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...unsigned(number >>> 7)]
}

function signed(number: number): number[] {
  return number >= -0x40 && number < 0x40 ? [number & 0x7f] : [(number & 0x7f) | 0x80, ...signed(number >> 7)]
}
