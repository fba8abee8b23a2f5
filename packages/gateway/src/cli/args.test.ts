import { describe, expect, test } from 'bun:test'
import { type Flags, parseArguments } from './args.ts'
import { UsageError } from './errors.ts'

const FLAGS: Flags = { name: 'value', amount: 'value', force: 'flag' }

describe('command lines', () => {
  type Parsed = { args: string[]; values: Record<string, string>; words?: string[]; flags?: string[] }
  test.each<Parsed>([
    { args: ['--name', 'x'], values: { name: 'x' } },
    { args: ['--name=x=y'], values: { name: 'x=y' } },
    { args: ['--name='], values: { name: '' } },
    { args: ['--name=--force'], values: { name: '--force' } },
    { args: ['--amount', '-1'], values: { amount: '-1' } },
    { args: ['word', '--force', 'other'], values: {}, words: ['word', 'other'], flags: ['force'] },
    { args: ['--', 'word'], values: {}, words: ['word'] },
  ])('$args', ({ args, values, words = [], flags = [] }) => {
    const parsed = parseArguments(args, FLAGS)
    expect({ ...parsed.values }).toEqual(values)
    expect([parsed.positionals, [...parsed.flags]]).toEqual([words, flags])
  })

  test.each([
    { args: ['--nmae', 'x'], says: 'unknown option --nmae; this command takes --name, --amount, --force' },
    { args: ['--constructor', 'x'], says: 'unknown option --constructor' },
    { args: ['--__proto__', 'x'], says: 'unknown option --__proto__' },
    { args: ['--name'], says: '--name requires a value' },
    { args: ['--name', '--amount', '5'], says: '--name requires a value' },
    { args: ['--name', 'x', '--name', 'y'], says: '--name is set twice' },
    { args: ['--force=yes'], says: '--force takes no value' },
  ])('$args: $says', ({ args, says }) => {
    const parse = () => parseArguments(args, FLAGS)
    expect(parse).toThrow(UsageError)
    expect(parse).toThrow(says)
  })
})
