// The commands that work on accounts.
import type { AccountRow } from '../../../administration/accounts/rows.ts'
import type { Arguments } from '../../args.ts'
import type { StoreCommand } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { type Shown, showAccounts, showImport } from '../columns.ts'
import { accountTermsInput, CAP_NAMES, LIMIT_NAMES, present } from '../inputs.ts'
import { formatCsv } from '../reports/csv.ts'
import { IMPORT_COLUMNS, importInput } from '../reports/import-file.ts'
import { ACCOUNT, byAccount, CAP, LIMITS, SECTION } from './options.ts'

/** Limits beside the other fields, as these commands have always had them. */
const flatAccount = ({ limits, ...row }: AccountRow) => ({ ...row, ...limits })

export const ACCOUNT_COMMANDS: readonly StoreCommand[] = [
  {
    name: 'account create',
    section: SECTION,
    positionals: [],
    summary: 'create an account, for a person or for scripts only',
    atLeastOne: ['email', 'name'],
    options: [
      { name: 'email', value: 'EMAIL', summary: 'the email address of its owner' },
      { name: 'name', value: 'TEXT', summary: 'in place of --email: an account without a person, for scripts' },
      {
        name: 'credit',
        value: 'USD',
        summary: 'opening balance; default: registration.trial_credit of the configuration',
      },
      { name: 'credit-line', value: 'USD', summary: "how far it may spend beyond its balance, or 'unlimited'" },
      ...CAP,
      ...LIMITS,
      { name: 'key', value: 'NAME', summary: 'create a key of this name, and print its secret once' },
      { name: 'group', value: 'GROUP', summary: 'the group of that key; default: default' },
      { name: 'member-of', value: 'ACCOUNT', summary: 'another account that the person becomes a member of' },
      { name: 'role', value: 'ROLE', summary: 'the role in that account, member or owner; default: member' },
      { name: 'link', summary: 'print a one-time sign-in link for the person' },
      { name: 'password', value: 'TEXT', summary: 'password to sign in with; default: none' },
      { name: 'password-stdin', summary: 'read the password from standard input' },
    ],
    example: 'account create --email ada@example.com --credit-line unlimited --cap 50 --cap-period month --key laptop',
    input: openingInput,
    json: newAccount,
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
      'add credit, or remove it with a negative amount',
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
    ...byAccount(
      'account disable',
      'disable an account: its requests are rejected; its people can still view it',
      [{ name: 'reason', value: 'TEXT', summary: 'why: its callers read it in the error, and the audit log has it' }],
      ({ reason }) => present([['reason', reason]]),
    ),
    json: flatAccount,
  },
  { ...byAccount('account enable', 'accept requests of a disabled account again'), json: flatAccount },
  {
    ...byAccount(
      'account delete',
      'erase an account with its keys, sessions, stored content and people; the ledger stays',
    ),
    options: [ACCOUNT, { name: 'force', summary: 'also with a balance, which stays in the ledger, or open holds' }],
    input: ({ values, flags }) => ({ account: values.account, force: flags.has('force') }),
    json: flatAccount,
  },
  {
    name: 'account import',
    section: SECTION,
    positionals: [{ name: 'FILE', summary: `CSV with a header row: ${IMPORT_COLUMNS.join(', ')}` }],
    options: [
      { name: 'dry-run', summary: 'check the file, and write nothing' },
      { name: 'links', summary: 'print a one-time sign-in link for each new person' },
      { name: 'csv', summary: 'print comma-separated values' },
    ],
    summary: 'create accounts from a CSV file, each with limits, a key and a sign-in link',
    example: 'account import people.csv --links',
    input: importInput,
    show: (result, { flags }) =>
      flags.has('csv') ? formatCsv(result as readonly Shown[], IMPORTED_COLUMNS) : showImport(result),
  },
  {
    ...byAccount('account sign-in-link', 'print a one-time link for setting a password (invitation or reset)'),
    show: showSignInLink,
  },
  {
    ...byAccount(
      'account edit',
      'rename an account, or set its credit line',
      [
        { name: 'name', value: 'TEXT', summary: 'its new name' },
        { name: 'credit-line', value: 'USD', summary: "how far it may spend beyond its balance, or 'unlimited'" },
      ],
      ({ name, 'credit-line': line }) =>
        present([
          ['name', name],
          ['credit_line_usd', line],
        ]),
    ),
    atLeastOne: ['name', 'credit-line'],
    json: flatAccount,
    example: 'account edit --account 7 --name "Acme Ltd"',
  },
  byAccount('account members', 'list the people of an account with their roles and caps'),
  byAccount('account sessions', 'list the sessions of the person of an account'),
  byAccount('account sign-out', 'end all sessions of the person of an account'),
  byAccount('account forget-responses', 'delete all stored responses of an account'),
  byAccount('account callback-secret', 'print the secret that callbacks of an account are signed with'),
  byAccount('account remove-second-factor', 'turn off two-factor authentication and end all sessions'),
]

async function openingInput({ values, flags }: Arguments): Promise<object> {
  const { email, name, credit, password, key, group, role, 'credit-line': line, 'member-of': team } = values
  const fromInput = flags.has('password-stdin')
  if (fromInput && password !== undefined) throw new UsageError('use either --password or --password-stdin')
  return {
    ...accountTermsInput(values),
    ...present([
      ['email', email],
      ['name', name],
      ['credit_usd', credit],
      ['credit_line_usd', line],
      ['password', fromInput ? (await Bun.stdin.text()).replace(/\r?\n$/, '') : password],
      ['key', key],
      ['group', group],
      ['member_of', team],
      ['role', role],
      ['link', flags.has('link') || undefined],
    ]),
  }
}

type NewAccountRow = AccountRow & { key_id: string | null; secret: string | null; sign_in_url: string | null }
/** Only with what was asked for. */
function newAccount({ key_id, secret, sign_in_url, ...row }: NewAccountRow) {
  const key = secret === null ? {} : { key_id, secret }
  return { ...flatAccount(row), ...key, ...(sign_in_url === null ? {} : { sign_in_url }) }
}

const IMPORTED_COLUMNS = ['account', 'id', 'result', 'secret', 'sign_in_url']

/** The link itself goes to the holder. */
function showSignInLink(result: unknown): string {
  const { email, url } = result as { email: string; url: string }
  return `Give this link to the holder of ${email} (it works once, within 24 hours):\n\n  ${url}\n`
}
