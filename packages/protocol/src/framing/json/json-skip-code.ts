// What skipValue does (json-skip.ts), in WebAssembly and for large bodies: it looks at 32 bytes of a string at once, and
// checks the inside of strings, too. It has no messages: what it does not understand it rejects, and skipValue (or, for the
// inside of a string, the parser) finds out what is wrong.
//
// The text stands at address 0 with zeros behind it, and no token continues over a zero: the end is found without
// a bounds check.

import { LONG_STRING, MAX_DEPTH } from './json-skip.ts'
import * as wasm from './wasm-code.ts'

const { add, and, bitsOf, block, byteAt, call, eachBelow, eachEqual, eachOr, giveBack, go, goIf, increase } = wasm
const { isAbove, isBelow, isEqual, isUnequal, isZero, loop, lowestBit, not, or, set, shiftLeft } = wasm
const { shiftRight, sixteenAt, sixteenOf, storeByte, storeWord, subtract, when, wordAt } = wasm

export const LONGEST_TEXT = 4 * 1024 * 1024
/** Zeros behind the text: at least as many as can be looked at beyond its end. */
export const ZEROS = 64
/** Results: how many elements or members the value has, how many more values there may be, and where the notes end. */
export const COUNT = LONGEST_TEXT + ZEROS
export const VALUES_LEFT = COUNT + 4
export const NOTES_END = COUNT + 8
/** Strings that the caller has to look at, four words for each: keyStart, keyEnd, start, end. */
export const NOTES = COUNT + 12
const NOTES_LIMIT = NOTES + 16_384 * 16
/** What stood around each of the containers that are open, one byte for each. */
const ENCLOSING = NOTES_LIMIT
/** What each byte may be in an escape. */
const CLASSES = ENCLOSING + MAX_DEPTH
const HEX_DIGIT = 1
/** May stand behind a backslash. */
const ESCAPE = 2
export const MEMORY_SIZE = CLASSES + 256

const classes = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return (/[0-9a-f]/i.test(character) ? HEX_DIGIT : 0) | ('"\\/bfnrtu'.includes(character) ? ESCAPE : 0)
})

export const REJECTED = -1

const letter = (text: string): number => text.charCodeAt(0)
const fourLetters = (text: string): number => [...text].reduceRight((word, one) => (word << 8) | letter(one), 0)
const isAt = (at: string, text: string) => isEqual(byteAt(at), letter(text))
const isDigitAt = (at: string) => isBelow(subtract(byteAt(at), letter('0')), 10)
const each = (text: string) => eachEqual('bytes', sixteenOf(letter(text)))
const reject = giveBack(REJECTED)

/** The first place from `at` on that is not white space. */
const afterSpace: wasm.Func = {
  given: ['at'],
  numbers: ['others'],
  sixteens: ['bytes'],
  code: loop((again) => [
    set('bytes', sixteenAt('at')),
    set('others', not(bitsOf(eachOr(eachOr(each(' '), each('\n')), eachOr(each('\r'), each('\t')))))),
    when(isUnequal(lowestBit('others'), 16), giveBack(add('at', lowestBit('others')))),
    increase('at', 16),
    go(again),
  ]),
  result: 'at',
}

/** Most of the time there is none: a call less. */
const skipSpace = when(isBelow(byteAt('at'), letter(' ') + 1), set('at', call('afterSpace', 'at')))

const afterDigits: wasm.Func = {
  given: ['at'],
  code: loop((again) => when(isDigitAt('at'), [increase('at', 1), go(again)])),
  result: 'at',
}

/** There must be a digit at least. */
const skipDigits = [when(isZero(isDigitAt('at')), reject), set('at', call('afterDigits', 'at'))]

/** The end of a number or literal. */
const afterPrimitive: wasm.Func = {
  given: ['at'],
  numbers: ['word', 'first'],
  code: [
    set('word', wordAt('at')),
    when(isEqual('word', fourLetters('true')), giveBack(add('at', 4))),
    when(isEqual('word', fourLetters('null')), giveBack(add('at', 4))),
    when(and(isEqual('word', fourLetters('fals')), isEqual(byteAt('at', 4), letter('e'))), giveBack(add('at', 5))),
    increase('at', isAt('at', '-')),
    set('first', 'at'),
    skipDigits,
    when(and(isAt('first', '0'), isAbove(subtract('at', 'first'), 1)), reject),
    when(isAt('at', '.'), [increase('at', 1), skipDigits]),
    when(or(isAt('at', 'e'), isAt('at', 'E')), [
      increase('at', 1),
      increase('at', or(isAt('at', '+'), isAt('at', '-'))),
      skipDigits,
    ]),
  ],
  result: 'at',
}

const equalsIn = (wanted: wasm.Value) => (bytes: string) => bitsOf(eachEqual(bytes, wanted))
const controlsIn = (bytes: string) => bitsOf(eachBelow(bytes, 'allSpaces'))
const in32Bytes = (bits: (bytes: string) => wasm.Code) => or(bits('lower'), shiftLeft(bits('upper'), 16))

const classAt = (at: string, offset: number) => byteAt(add(byteAt(at, offset), CLASSES))
const areHexDigits = [1, 2, 3, 4].map((offset) => classAt('place', offset)).reduce((all, each) => and(all, each))

/** Looks at each odd byte before `stop`: it must be what may be escaped, and a `u` must have its four digits. */
const checkOdd = loop((again) =>
  when(isBelow(lowestBit('odd'), 'stop'), [
    set('place', add('at', lowestBit('odd'))),
    when(isZero(and(classAt('place', 0), ESCAPE)), reject),
    when(and(isAt('place', 'u'), isZero(and(areHexDigits, HEX_DIGIT))), reject),
    set('odd', and('odd', add('odd', -1))),
    go(again),
  ]),
)

/**
 * From the opening quote to behind the closing one. One bit stands for each of 32 bytes, the first one's the lowest. The
 * zeros behind the text are control characters: a string that does not end is rejected by itself.
 */
const skipString = [
  set('start', 'at'),
  increase('at', 1),
  set('carry', 0),
  block((closed) => [
    // Most strings are short and plain, and one look is enough.
    set('lower', sixteenAt('at')),
    set('quotes', bitsOf(eachEqual('lower', 'allQuotes'))),
    set('odd', bitsOf(eachOr(eachEqual('lower', 'allBackslashes'), eachBelow('lower', 'allSpaces')))),
    when(isBelow(lowestBit('quotes'), lowestBit('odd')), [increase('at', add(lowestBit('quotes'), 1)), go(closed)]),
    loop((again) => [
      set('lower', sixteenAt('at')),
      set('upper', sixteenAt('at', 16)),
      set('backslashes', in32Bytes(equalsIn('allBackslashes'))),
      set('quotes', in32Bytes(equalsIn('allQuotes'))),
      // Right as far as to the first backslash that is escaped itself: from there on it is looked again.
      set('escaped', or(shiftLeft('backslashes', 1), 'carry')),
      // Control characters, and escapes other than the usual ones: \\", \\\\ and \\n.
      set('odd', or(or('backslashes', 'quotes'), in32Bytes(equalsIn('allNs')))),
      set('odd', or(in32Bytes(controlsIn), and('escaped', not('odd')))),
      set('quotes', and('quotes', not('escaped'))),
      set('twice', and('backslashes', 'escaped')),
      set('stop', lowestBit(or('quotes', 'twice'))),
      checkOdd,
      when(isBelow(lowestBit('quotes'), lowestBit('twice')), [increase('at', add('stop', 1)), go(closed)]),
      when('twice', [increase('at', add('stop', 1)), set('carry', 0), go(again)]),
      set('carry', shiftRight('backslashes', 31)),
      increase('at', 32),
      go(again),
    ]),
  ]),
]

/** From behind a member's name to its value. */
const skipColon = [
  when(isUnequal(byteAt('at'), letter(':')), set('at', call('afterSpace', 'at'))),
  when(isUnequal(byteAt('at'), letter(':')), reject),
  increase('at', 1),
  skipSpace,
]

const note = (...words: wasm.Value[]) => [
  when(isEqual('note', NOTES_LIMIT), reject),
  words.map((word, index) => storeWord('note', index * 4, word)),
  increase('note', 16),
]

/** Notes a member's string when it is long. */
const noteString = when(
  and(isEqual('inside', letter('}')), isAbove(subtract('at', 'start'), LONG_STRING + 1)),
  note('keyStart', 'keyEnd', 'start', 'at'),
)

/** Notes the name of a member, whose value is at `at`, at the depths where that is wanted. */
const noteName = when(
  and(isBelow('depth', 32), shiftRight('noteDepths', 'depth')),
  note('keyStart', 'keyEnd', 'at', subtract(0, 'depth')),
)

/** `inside` is what closes the innermost container. Opening brackets have it two places further on in ASCII. */
const openContainer = [
  when(isEqual('depth', MAX_DEPTH), reject),
  storeByte(add('depth', ENCLOSING), 'inside'),
  increase('depth', 1),
  set('inside', add('byte', 2)),
  increase('at', 1),
  skipSpace,
]

const closeContainer = [increase('depth', -1), set('inside', byteAt(add('depth', ENCLOSING))), increase('at', 1)]

/** Another element, or member with its name, of the innermost container. */
const expectAnother = [increase('count', isEqual('depth', 1)), set('expectKey', isEqual('inside', letter('}')))]

const countValue = [when(isZero('valuesLeft'), reject), increase('valuesLeft', -1)]

/** The end of the value at `at`, or REJECTED. */
const skipValue: wasm.Func = {
  given: ['at', 'noteDepths', 'valuesLeft'],
  numbers: [
    'depth',
    'inside',
    'expectKey',
    'count',
    'byte',
    'note',
    'keyStart',
    'keyEnd',
    'start',
    'backslashes',
    'quotes',
    'odd',
    'escaped',
    'twice',
    'stop',
    'carry',
    'place',
  ],
  sixteens: ['lower', 'upper', 'allQuotes', 'allBackslashes', 'allSpaces', 'allNs'],
  code: [
    set('note', NOTES),
    set('allQuotes', sixteenOf(letter('"'))),
    set('allBackslashes', sixteenOf(letter('\\'))),
    set('allSpaces', sixteenOf(letter(' '))),
    set('allNs', sixteenOf(letter('n'))),
    loop((next) => [
      set('byte', byteAt('at')),
      block((ended) => [
        when(isEqual('byte', letter('"')), [
          skipString,
          when('expectKey', [
            set('keyStart', 'start'),
            set('keyEnd', 'at'),
            skipColon,
            noteName,
            set('expectKey', 0),
            go(next),
          ]),
          noteString,
          go(ended),
        ]),
        when('expectKey', reject),
        when(or(isEqual('byte', letter('{')), isEqual('byte', letter('['))), [
          openContainer,
          goIf(ended, isEqual(byteAt('at'), 'inside')),
          countValue,
          expectAnother,
          go(next),
        ]),
        set('at', call('afterPrimitive', 'at')),
        when(isEqual('at', REJECTED), reject),
      ]),
      countValue,
      // After a value: its container goes on, or ends, and then that container was a value itself.
      loop((after) => [
        when(isZero('depth'), [
          storeWord(COUNT, 0, 'count'),
          storeWord(VALUES_LEFT, 0, 'valuesLeft'),
          storeWord(NOTES_END, 0, 'note'),
          giveBack('at'),
        ]),
        skipSpace,
        set('byte', byteAt('at')),
        when(isEqual('byte', letter(',')), [increase('at', 1), skipSpace, expectAnother, go(next)]),
        when(isEqual('byte', 'inside'), [closeContainer, go(after)]),
      ]),
    ]),
  ],
  result: REJECTED,
}

export const skipModule = (): Uint8Array =>
  wasm.moduleOf({ afterSpace, afterDigits, afterPrimitive, skipValue }, { address: CLASSES, bytes: classes })
