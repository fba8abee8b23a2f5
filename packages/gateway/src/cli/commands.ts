// Every command with what it takes. A command that works on accounts names an operation; the others run themselves.
import type { Arguments, Flags } from './args.ts'
import { required, UsageError } from './args.ts'
import { LIMIT_NAMES, TERM_NAMES } from './key-options.ts'
import type { OperationName } from './operations.ts'

export type StoreCommand = {
  flags: Flags
  words: readonly string[]
  operation: OperationName
  /** From the command line to the operation's values. */
  values(parsed: Arguments): Promise<Record<string, string>>
}

const VALUE = 'value' as const

const byAccount = (operation: OperationName, ...more: string[]): StoreCommand => ({
  flags: Object.fromEntries(['account', ...more].map((name) => [name, VALUE])),
  words: [],
  operation,
  values: async (parsed) => ({ ...parsed.values, account: required(parsed, 'account') }),
})

export const STORE_COMMANDS: Readonly<Record<string, StoreCommand>> = {
  'account create': {
    flags: { email: VALUE, password: VALUE, 'password-stdin': 'flag', credit: VALUE },
    words: [],
    operation: 'account create',
    values: async (parsed) => ({ ...(await withPassword(parsed)), email: required(parsed, 'email') }),
  },
  'account show': byAccount('account show'),
  'account disable': byAccount('account disable'),
  'account enable': byAccount('account enable'),
  'account credit': {
    ...byAccount('account credit', 'amount', 'reason'),
    values: async (parsed) => ({
      ...parsed.values,
      account: required(parsed, 'account'),
      amount: required(parsed, 'amount'),
    }),
  },
  'account limit': {
    ...byAccount('account limit', ...LIMIT_NAMES),
    values: async (parsed) => {
      const account = required(parsed, 'account')
      return { ...atLeastOne(LIMIT_NAMES, parsed), account }
    },
  },
  'key create': {
    ...byAccount('key create', 'name', 'group', ...TERM_NAMES),
    values: async (parsed) => ({
      ...parsed.values,
      account: required(parsed, 'account'),
      name: required(parsed, 'name'),
    }),
  },
  'key list': byAccount('key list'),
  'key limit': {
    flags: Object.fromEntries(TERM_NAMES.map((name) => [name, VALUE])),
    words: ['ID'],
    operation: 'key limit',
    values: async (parsed) => ({ ...atLeastOne(TERM_NAMES, parsed), key: parsed.words[0] ?? '' }),
  },
  'key revoke': {
    flags: {},
    words: ['ID'],
    operation: 'key revoke',
    values: async (parsed) => ({ key: parsed.words[0] ?? '' }),
  },
  usage: byAccount('usage', 'limit'),
  audit: { flags: {}, words: [], operation: 'audit', values: async () => ({}) },
}

/** Named by the contract, built later: each says so and exits 1. */
export const LATER_COMMANDS: Readonly<Record<string, string>> = {
  backup: 'backup',
  restore: 'restore',
}

function atLeastOne(names: readonly string[], { values }: Arguments): Record<string, string> {
  if (names.some((name) => name in values)) return values
  throw new UsageError(`give at least one of ${names.map((name) => `--${name}`).join(', ')}`)
}

async function withPassword(parsed: Arguments): Promise<Record<string, string>> {
  if (!parsed.flags.has('password-stdin')) return { ...parsed.values }
  if ('password' in parsed.values) throw new UsageError('give either --password or --password-stdin')
  return { ...parsed.values, password: (await Bun.stdin.text()).replace(/\r?\n$/, '') }
}
