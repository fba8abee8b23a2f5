// The commands that work on accounts and keys.

import type { AccountRow } from '../../administration/accounts.ts'
import type { KeyRow } from '../../administration/key-rows.ts'
import type { Arguments } from '../args.ts'
import type { Option, StoreCommand } from '../command.ts'
import { UsageError } from '../errors.ts'
import { ALERT_COMMANDS } from './alert-commands.ts'
import {
  showAccounts,
  showAuditLog,
  showCodes,
  showImport,
  showKeptCodes,
  showKeys,
  showRejectedRequests,
  showUsage,
} from './columns.ts'
import { EXCHANGE_COMMANDS } from './configuration/exchange.ts'
import {
  accountTermsInput,
  CAP_NAMES,
  LIMIT_NAMES,
  present,
  TERM_NAMES,
  termsInput,
  time,
  type Values,
  wholeNumber,
} from './inputs.ts'
import { PEOPLE_COMMANDS } from './people-commands.ts'
import { IMPORT_COLUMNS, importInput } from './reports/import-file.ts'
import { REPORT_COMMANDS, secretWord } from './reports/report-commands.ts'
import { UPSTREAM_COMMANDS } from './upstreams/upstream-commands.ts'

const SECTION = 'Accounts and keys'
const ANY_ACCOUNT: Option = {
  name: 'account',
  value: 'ACCOUNT',
  summary: "the account's id or name, or the email address of its person",
}
const ACCOUNT: Option = { ...ANY_ACCOUNT, required: true }

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

const ROWS: Option = { name: 'limit', value: 'N', summary: 'how many; 0: all; default: 100' }
const ID = { name: 'ID', summary: "the key's id; 'key list' shows it" } as const

/** Limits beside the other fields, as these commands have always had them. */
const flatAccount = ({ limits, ...row }: AccountRow) => ({ ...row, ...limits })
const flatKey = ({ limits, networks, ceiling: _, ...row }: KeyRow) => ({ ...row, ips: networks, ...limits })

type Read = (values: Values) => object

/** `read`: the fields of the input besides the account. */
const byAccount = (
  name: StoreCommand['name'],
  summary: string,
  more: readonly Option[] = [],
  read: Read = () => ({}),
): StoreCommand => ({
  name,
  section: SECTION,
  summary,
  positionals: [],
  options: [ACCOUNT, ...more],
  input: ({ values }) => ({ account: values.account, ...read(values) }),
  example: `${name} --account ada@example.com`,
})

export const STORE_COMMANDS: readonly StoreCommand[] = [
  {
    name: 'account create',
    section: SECTION,
    positionals: [],
    summary: 'create an account, of a person or of none',
    atLeastOne: ['email', 'name'],
    options: [
      { name: 'email', value: 'EMAIL', summary: 'the email address of its owner' },
      { name: 'name', value: 'TEXT', summary: 'in place of --email: an account without a person, for scripts' },
      {
        name: 'credit',
        value: 'USD',
        summary: 'opening balance; default: registration.trial_credit of the configuration',
      },
      { name: 'password', value: 'TEXT', summary: 'password to sign in with; default: none' },
      { name: 'password-stdin', summary: 'read the password from standard input' },
    ],
    example: 'account create --email ada@example.com --credit 25',
    input: withPassword,
    json: flatAccount,
  },
  {
    name: 'account list',
    section: SECTION,
    positionals: [],
    options: [],
    summary: 'list all accounts',
    example: 'account list',
    input: () => ({}),
    rows: 0,
    json: (rows: Parameters<typeof flatAccount>[0][]) => rows.map(flatAccount),
    show: showAccounts,
  },
  { ...byAccount('account show', 'show an account with its balance and limits'), json: flatAccount },
  {
    ...byAccount(
      'account credit',
      'add credit to an account, or take it back',
      [
        {
          name: 'amount',
          value: 'USD',
          required: true,
          summary: 'negative takes back, never below the available balance',
        },
        { name: 'reason', value: 'TEXT', summary: 'kept in the ledger' },
        { name: 'id', value: 'ID', summary: 'your own id of this credit: repeated, it is booked once' },
      ],
      ({ amount, reason, id }) =>
        present([
          ['amount_usd', amount],
          ['reason', reason],
          ['id', id],
        ]),
    ),
    json: flatAccount,
    example: 'account credit --account ada@example.com --amount 10 --reason "invoice 42"',
  },
  {
    ...byAccount(
      'account limit',
      "set an account's cap and limits; 'none' removes one",
      [...CAP, ...LIMITS],
      accountTermsInput,
    ),
    mayRemove: true,
    json: flatAccount,
    atLeastOne: [...CAP_NAMES, ...LIMIT_NAMES],
    example: 'account limit --account ada@example.com --cap 50 --cap-period month --tpm none',
  },
  {
    ...byAccount(
      'account credit-line',
      'let an account spend beyond its balance',
      [{ name: 'amount', value: 'USD', required: true, summary: "how far, or 'unlimited'; 0: not at all" }],
      ({ amount }) => ({ credit_line_usd: amount }),
    ),
    json: flatAccount,
    example: 'account credit-line --account ada@example.com --amount 500',
  },
  {
    ...byAccount('account disable', 'reject all requests of an account; its people can still look at it'),
    json: flatAccount,
  },
  { ...byAccount('account enable', 'accept requests of a disabled account again'), json: flatAccount },
  {
    ...byAccount('account delete', 'erase an account: keys, sessions, contents and its people; the ledger stays'),
    options: [ACCOUNT, { name: 'force', summary: 'also with a balance, which stays in the ledger, or open holds' }],
    input: ({ values, flags }) => ({ account: values.account, force: flags.has('force') }),
    json: flatAccount,
  },
  {
    name: 'account import',
    section: SECTION,
    positionals: [{ name: 'FILE', summary: `CSV with a line of titles: ${IMPORT_COLUMNS.join(', ')}` }],
    options: [{ name: 'dry-run', summary: 'check the file, and write nothing' }],
    summary: 'create the accounts of a CSV file, with limits and a key each',
    example: 'account import people.csv --dry-run',
    input: importInput,
    show: showImport,
  },
  {
    ...byAccount('account sign-in-link', 'print a link that signs in once, with a new password'),
    show: showSignInLink,
  },
  byAccount('account forget-responses', 'remove all stored responses of an account, and say how many'),
  byAccount('account callback-secret', 'print the secret that callbacks of an account are signed with'),
  byAccount('account remove-second-factor', 'turn off two-factor authentication, and end all sessions'),
  {
    ...byAccount(
      'key create',
      'create a key; its secret is shown once',
      [
        { name: 'name', value: 'TEXT', required: true, summary: 'its name' },
        { name: 'group', value: 'GROUP', summary: 'which models it may use and at which price; default: default' },
        ...TERMS,
      ],
      ({ name, group, ...terms }) => ({ name, ...(group === undefined ? {} : { group }), ...termsInput(terms, false) }),
    ),
    json: ({ key, secret }: { key: KeyRow; secret: string }) => ({ ...flatKey(key), secret }),
    example: 'key create --account ada@example.com --name laptop --cap 5 --cap-period month',
  },
  {
    ...byAccount('key list', 'list the keys of an account'),
    rows: 0,
    // The operation gives the newest first.
    json: (rows: KeyRow[]) => rows.toReversed().map(flatKey),
    show: showKeys,
  },
  {
    name: 'key limit',
    section: SECTION,
    positionals: [ID],
    options: TERMS,
    summary: "change what a key may do; 'none' removes a limit",
    atLeastOne: TERM_NAMES,
    example: 'key limit 7 --cap 20 --rpm none',
    input: ({ positionals: [key], values }) => ({ key, ...termsInput(values, true) }),
    mayRemove: true,
    json: flatKey,
  },
  {
    name: 'key delete',
    section: SECTION,
    positionals: [ID],
    options: [],
    summary: 'delete a key permanently',
    example: 'key delete 7',
    input: ({ positionals: [key] }) => ({ key }),
    json: flatKey,
  },
  ...PEOPLE_COMMANDS,
  ...UPSTREAM_COMMANDS,
  ...EXCHANGE_COMMANDS,
  {
    name: 'code create',
    section: SECTION,
    positionals: [],
    summary: 'create codes for credit; they are shown once',
    options: [
      { name: 'amount', value: 'USD', required: true, summary: 'the credit that each code is worth' },
      { name: 'count', value: 'N', summary: 'how many codes; default: 1' },
      { name: 'expires', value: 'TIME', summary: 'until when they can be redeemed; default: forever' },
      { name: 'label', value: 'TEXT', summary: 'a name for the batch, to list and revoke it by' },
    ],
    example: 'code create --amount 20 --count 10 --expires 2030-01-31',
    input: ({ values: { amount, count = '1', expires, label } }) => ({
      amount_usd: amount,
      count: wholeNumber(count),
      expires_at: expires === undefined ? null : time(expires),
      ...(label === undefined ? {} : { label }),
    }),
    show: showCodes,
  },
  {
    name: 'code list',
    section: SECTION,
    positionals: [],
    summary: 'list redemption codes by their last four characters, newest first',
    options: [{ name: 'label', value: 'TEXT', summary: 'only codes of this batch' }, ROWS],
    example: 'code list --label spring',
    input: ({ values: { label } }) => (label === undefined ? {} : { label }),
    rows: 100,
    show: showKeptCodes,
  },
  {
    name: 'code revoke',
    section: SECTION,
    positionals: [{ name: 'CODE', optional: true, summary: "the code, or '-' to read it from standard input" }],
    summary: 'revoke a code, or all of a batch, that nobody has redeemed',
    options: [{ name: 'label', value: 'TEXT', summary: 'in place of CODE: all of this batch' }],
    example: 'code revoke --label spring',
    input: async ({ positionals: [code], values: { label } }) => {
      if ((code === undefined) === (label === undefined)) throw new UsageError('give either CODE or --label')
      return code === undefined ? { label } : { code: await secretWord(code) }
    },
  },
  {
    ...byAccount('usage', 'list the requests of an account, newest first', [ROWS]),
    rows: 100,
    show: showUsage,
  },
  {
    name: 'rejected-requests',
    section: SECTION,
    positionals: [],
    summary: 'count the requests that were rejected before they cost anything, newest first',
    options: [
      ANY_ACCOUNT,
      { name: 'key', value: 'ID', summary: "only requests with this key; 'key list' shows the id" },
      { name: 'since', value: 'TIME', summary: 'only from this time on, such as 2030-01-31T12:00:00Z' },
      ROWS,
    ],
    example: 'rejected-requests --account ada@example.com --since 2030-01-31',
    input: ({ values: { account, key, since } }) =>
      present([
        ['account', account],
        ['key', key],
        ['since', since === undefined ? undefined : time(since)],
      ]),
    rows: 100,
    show: showRejectedRequests,
  },
  ...REPORT_COMMANDS,
  {
    name: 'audit',
    section: 'Checks',
    positionals: [],
    options: [],
    summary: 'verify that the ledger is consistent',
    example: 'audit',
    input: () => ({}),
  },
  {
    name: 'audit-log',
    section: 'Checks',
    positionals: [],
    options: [
      ROWS,
      { name: 'object', value: 'OBJECT', summary: 'only changes of this object, such as key/7' },
      { name: 'actor', value: 'ACTOR', summary: 'only changes by this actor, such as person/7 or command-line' },
      { name: 'action', value: 'ACTION', summary: "only this action, such as 'key limit'" },
      { name: 'from', value: 'TIME', summary: 'only changes since this time, such as 2027-01-31T12:00:00Z' },
      { name: 'to', value: 'TIME', summary: 'only changes before this time' },
      { name: 'jsonl', summary: 'print one JSON object on each line' },
    ],
    summary: 'list who changed what, newest first',
    example: 'audit-log --limit 20',
    input: ({ values: { object, actor, action, from, to } }) =>
      present([
        ['object', object],
        ['actor', actor],
        ['action', action],
        ['from', from],
        ['to', to],
      ]),
    rows: 100,
    show: (rows, parsed) =>
      parsed.flags.has('jsonl') ? (rows as object[]).map((row) => JSON.stringify(row)).join('\n') : showAuditLog(rows),
  },
  ...ALERT_COMMANDS,
]

async function withPassword({ values: { email, name, credit, password }, flags }: Arguments): Promise<object> {
  const fromInput = flags.has('password-stdin')
  if (fromInput && password !== undefined) throw new UsageError('use either --password or --password-stdin')
  return present([
    ['email', email],
    ['name', name],
    ['credit_usd', credit],
    ['password', fromInput ? (await Bun.stdin.text()).replace(/\r?\n$/, '') : password],
  ])
}

/** The link itself goes to the holder. */
function showSignInLink(result: unknown): string {
  const { email, url } = result as { email: string; url: string }
  return `Give this link to the holder of ${email} (it works once, within 24 hours):\n\n  ${url}\n`
}
