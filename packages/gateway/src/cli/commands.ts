// Every command with what it takes. A command that works on accounts names an operation; the others run themselves.
import type { Arguments, Flags } from './args.ts'
import { required, UsageError } from './args.ts'
import type { OperationName } from './operations.ts'

export type StoreCommand = {
  flags: Flags
  words: readonly string[]
  operation: OperationName
  /** From the command line to the operation's values. */
  values(parsed: Arguments): Promise<Record<string, string>>
}

const later = (feature: string) => () => {
  throw new UsageError(`${feature} comes with a later version`)
}

const VALUE = 'value' as const

/** Limits that a key will have; named here so that they are refused by name and not as unknown options. */
const KEY_LIMITS_TO_COME = ['cap-period', 'models', 'ips', 'rpm', 'tpm', 'concurrent']

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
  'key create': {
    ...byAccount('key create', 'name', 'group', 'cap', 'expires', ...KEY_LIMITS_TO_COME),
    values: async (parsed) => {
      for (const name of KEY_LIMITS_TO_COME) if (name in parsed.values) later(`--${name}`)()
      return { ...parsed.values, account: required(parsed, 'account'), name: required(parsed, 'name') }
    },
  },
  'key list': byAccount('key list'),
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
  'prices diff': 'the built-in price list',
  'upstream test': 'testing an upstream',
  backup: 'backup',
  restore: 'restore',
}

async function withPassword(parsed: Arguments): Promise<Record<string, string>> {
  if (!parsed.flags.has('password-stdin')) return { ...parsed.values }
  if ('password' in parsed.values) throw new UsageError('give either --password or --password-stdin')
  return { ...parsed.values, password: (await Bun.stdin.text()).replace(/\r?\n$/, '') }
}
