// The commands that work on accounts and keys.
import type { Arguments } from '../args.ts'
import type { Option, StoreCommand } from '../command.ts'
import { UsageError } from '../errors.ts'
import { showAccounts, showCodes, showKeys, showUsage } from './columns.ts'
import { CAP_NAMES, LIMIT_NAMES, TERM_NAMES } from './key-options.ts'
import { PEOPLE_COMMANDS } from './people/commands.ts'
import { showSignInLink } from './people/locked-out.ts'

const SECTION = 'Accounts and keys'
const ACCOUNT: Option = {
  name: 'account',
  value: 'ACCOUNT',
  required: true,
  summary: "the account's id or name, or the email address of its person",
}

const LIMITS: readonly Option[] = [
  { name: 'rpm', value: 'N', summary: 'requests per minute' },
  { name: 'tpm', value: 'N', summary: 'tokens per minute' },
  { name: 'concurrent', value: 'N', summary: 'requests at the same time' },
]

const CAP: readonly Option[] = [
  { name: 'cap', value: 'USD', summary: 'spending cap' },
  { name: 'cap-period', value: 'PERIOD', summary: 'the cap resets each day, week or month; default: never' },
]

const TERMS: readonly Option[] = [
  ...CAP,
  { name: 'expires', value: 'TIME', summary: 'when the key stops working, such as 2030-01-31T12:00:00Z' },
  { name: 'models', value: 'A,B', summary: 'the models it may use; default: all of its group' },
  { name: 'ips', value: 'CIDR,...', summary: 'the IP addresses it may be used from; default: any' },
  ...LIMITS,
]

const ID = { name: 'ID', summary: "the key's id; 'key list' shows it" } as const
const byKey = async ({ values, positionals }: Arguments) => ({ ...values, key: positionals[0] ?? '' })

const byAccount = (name: StoreCommand['operation'], summary: string, more: readonly Option[] = []): StoreCommand => ({
  name,
  section: SECTION,
  summary,
  operation: name,
  positionals: [],
  options: [ACCOUNT, ...more],
  example: `${name} --account ada@example.com`,
})

export const STORE_COMMANDS: readonly StoreCommand[] = [
  {
    name: 'account create',
    section: SECTION,
    operation: 'account create',
    positionals: [],
    summary: 'create an account',
    options: [
      { name: 'email', value: 'EMAIL', required: true, summary: 'its email address' },
      {
        name: 'credit',
        value: 'USD',
        summary: 'opening balance; default: registration.trial_credit of the configuration',
      },
      { name: 'password', value: 'TEXT', summary: 'password to sign in with; default: none' },
      { name: 'password-stdin', summary: 'read the password from standard input' },
    ],
    example: 'account create --email ada@example.com --credit 25',
    values: withPassword,
  },
  {
    name: 'account list',
    section: SECTION,
    operation: 'account list',
    positionals: [],
    options: [],
    summary: 'list all accounts',
    example: 'account list',
    show: showAccounts,
  },
  byAccount('account show', 'show an account with its balance and limits'),
  {
    ...byAccount('account credit', 'add credit to an account, or take it back', [
      {
        name: 'amount',
        value: 'USD',
        required: true,
        summary: 'negative takes back, never below the available balance',
      },
      { name: 'reason', value: 'TEXT', summary: 'kept in the ledger' },
    ]),
    example: 'account credit --account ada@example.com --amount 10 --reason "invoice 42"',
  },
  {
    ...byAccount('account limit', "set an account's cap and limits; 'none' removes one", [...CAP, ...LIMITS]),
    atLeastOne: [...CAP_NAMES, ...LIMIT_NAMES],
    example: 'account limit --account ada@example.com --cap 50 --cap-period month --tpm none',
  },
  {
    ...byAccount('account credit-line', 'let an account spend beyond its balance', [
      { name: 'amount', value: 'USD', required: true, summary: "how far, or 'unlimited'; 0: not at all" },
    ]),
    example: 'account credit-line --account ada@example.com --amount 500',
  },
  byAccount('account disable', 'reject all requests of an account; its people can still look at it'),
  byAccount('account enable', 'accept requests of a disabled account again'),
  {
    ...byAccount('account sign-in-link', 'print a link that signs in once, with a new password'),
    show: showSignInLink,
  },
  byAccount('account forget-responses', 'remove all stored responses of an account, and say how many'),
  byAccount('account callback-secret', 'print the secret that callbacks of an account are signed with'),
  byAccount('account remove-second-factor', 'turn off two-factor authentication, and end all sessions'),
  {
    ...byAccount('key create', 'create a key; its secret is shown once', [
      { name: 'name', value: 'TEXT', required: true, summary: 'its name' },
      { name: 'group', value: 'GROUP', summary: 'which models it may use and at which price; default: default' },
      ...TERMS,
    ]),
    example: 'key create --account ada@example.com --name laptop --cap 5 --cap-period month',
  },
  { ...byAccount('key list', 'list the keys of an account'), show: showKeys },
  {
    name: 'key limit',
    section: SECTION,
    operation: 'key limit',
    positionals: [ID],
    options: TERMS,
    summary: "change what a key may do; 'none' removes a limit",
    atLeastOne: TERM_NAMES,
    example: 'key limit 7 --cap 20 --rpm none',
    values: byKey,
  },
  {
    name: 'key revoke',
    section: SECTION,
    operation: 'key revoke',
    positionals: [ID],
    options: [],
    summary: 'revoke a key permanently',
    example: 'key revoke 7',
    values: byKey,
  },
  ...PEOPLE_COMMANDS,
  {
    name: 'code create',
    section: SECTION,
    operation: 'code create',
    positionals: [],
    summary: 'create codes for credit; they are shown once',
    options: [
      { name: 'amount', value: 'USD', required: true, summary: 'the credit that each code is worth' },
      { name: 'count', value: 'N', summary: 'how many codes; default: 1' },
      { name: 'expires', value: 'TIME', summary: 'until when they can be redeemed; default: forever' },
    ],
    example: 'code create --amount 20 --count 10 --expires 2030-01-31',
    show: showCodes,
  },
  {
    ...byAccount('usage', 'list the requests of an account, newest first', [
      { name: 'limit', value: 'N', summary: 'how many; 0: all; default: 100' },
    ]),
    show: showUsage,
  },
  {
    name: 'audit',
    section: 'Checks',
    operation: 'audit',
    positionals: [],
    options: [],
    summary: 'verify that the ledger is consistent',
    example: 'audit',
  },
]

async function withPassword({ values, flags }: Arguments): Promise<Record<string, string>> {
  if (!flags.has('password-stdin')) return values
  if ('password' in values) throw new UsageError('use either --password or --password-stdin')
  return { ...values, password: (await Bun.stdin.text()).replace(/\r?\n$/, '') }
}
