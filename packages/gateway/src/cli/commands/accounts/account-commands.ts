// The commands that work on accounts.
import type { Facts } from '../../../notices/facts.ts'
import { letterOf } from '../../../notices/letters.ts'
import type { AccountRow } from '../../../operate/accounts/rows.ts'
import type { Arguments } from '../../args.ts'
import { UsageError } from '../../errors.ts'
import { cellOf, LIMITS as LIMIT_COLUMNS, type Shown, shown } from '../columns.ts'
import { commandsIn } from '../declare.ts'
import { CAP_NAMES, LIMIT_NAMES } from '../inputs.ts'
import { formatCsv } from '../reports/csv.ts'
import { IMPORT_COLUMNS, importInput } from '../reports/import-file.ts'
import { byAccount, CAP, LIMITS, ROWS, SECTION } from './options.ts'

/** Limits beside the other fields, as these commands have always had them. */
const flatAccount = ({ limits, ...row }: AccountRow) => ({ ...row, ...limits })
const ofAccount = (...words: Parameters<typeof byAccount>) => ({ ...byAccount(...words), json: flatAccount })

/** In the words of the email. */
const aboutNotice = ({ facts }: Shown): string => letterOf(facts as Facts, NOBODY, 'en').subject.slice(2)
const NOBODY = { account: '', name: '', base: '' }

const deliveryOf = ({ to, state, tries, error }: Shown): string =>
  `${state} to ${to ?? 'webhook'}${error === null ? '' : ` after ${tries} tries (${error})`}`

export const ACCOUNT_COMMANDS = commandsIn(SECTION, [
  {
    name: 'account create',
    summary: 'create an account, for a person or for scripts only',
    atLeastOne: ['email', 'name'],
    options: {
      'email EMAIL': 'the email address of its owner',
      'name TEXT': 'in place of --email: an account without a person, for scripts',
      'credit USD': 'opening balance; default: registration.trial_credit of the configuration',
      'credit-line USD': "how far it may spend beyond its balance, or 'unlimited'",
      ...CAP,
      ...LIMITS,
      'key NAME': 'create a key of this name, and print its secret once',
      'group GROUP': 'the group of that key; default: default',
      'member-of ACCOUNT': 'another account that the person becomes a member of',
      'role ROLE': 'the role in that account, member or owner; default: member',
      link: 'print a one-time sign-in link for the person',
      'password TEXT': 'password to sign in with; default: none',
      'password-stdin': 'read the password from standard input',
    },
    example: 'account create --email ada@example.com --credit-line unlimited --cap 50 --cap-period month --key laptop',
    // `--cap none` is no cap.
    mayRemove: true,
    input: passwordIn,
    json: newAccount,
  },
  {
    name: 'account list',
    summary: 'list all accounts',
    options: {
      'order ORDER': 'oldest (default), newest, spent, balance, last_used or unused: which come first',
      'limit N': 'maximum number; default: all',
    },
    example: 'account list --order spent --limit 10',
    rows: 0,
    json: (rows: Parameters<typeof flatAccount>[0][]) => rows.map(flatAccount),
    show: shown(
      '>id',
      'name',
      { title: 'email', cell: ({ name, email }) => (email === name ? undefined : cellOf(email)) },
      'balance_usd',
      'held_usd',
      'spent this month=spent_this_month_usd',
      { title: 'state', cell: (row) => (row.deleted_at ? 'deleted' : row.disabled === true ? 'disabled' : 'active') },
      ...LIMIT_COLUMNS,
      'created_at',
    ),
  },
  ofAccount('account show', 'show an account with its balance and limits'),
  {
    ...byAccount('account notices', 'list what the holders of an account were told, and how it was delivered', ROWS),
    rows: 100,
    show: shown('>id', 'at', 'kind', { title: 'about', cell: aboutNotice }, 'withheld', {
      title: 'deliveries',
      cell: ({ deliveries }) => (deliveries as Shown[]).map(deliveryOf).join('; '),
    }),
  },
  {
    ...ofAccount('account credit', 'add credit, or remove it with a negative amount', {
      'amount USD!': 'negative takes back, never below the available balance',
      'reason TEXT': 'kept in the ledger',
      'id ID': 'your own id of this credit: repeated, it is booked once',
    }),
    example: 'account credit --account ada@example.com --amount 10 --reason "invoice 42"',
  },
  {
    ...ofAccount('account limit', "set an account's cap and limits; 'none' removes one", { ...CAP, ...LIMITS }),
    mayRemove: true,
    atLeastOne: [...CAP_NAMES, ...LIMIT_NAMES],
    example: 'account limit --account ada@example.com --cap 50 --cap-period month --tpm none',
  },
  {
    ...ofAccount('account credit-line', 'let an account spend beyond its balance', {
      'amount USD!': "how far, or 'unlimited'; 0: not at all",
    }),
    example: 'account credit-line --account ada@example.com --amount 500',
  },
  ofAccount('account disable', 'disable an account: its requests are rejected; its people can still view it', {
    'reason TEXT': 'why: its callers read it in the error, and the audit log has it',
  }),
  ofAccount('account enable', 'accept requests of a disabled account again'),
  ofAccount('account delete', 'erase an account with its keys, sessions, stored content and people; the ledger stays', {
    force: 'also with a balance, which stays in the ledger, or open holds',
  }),
  {
    name: 'account import',
    positionals: [{ name: 'FILE', summary: `CSV with a header row: ${IMPORT_COLUMNS.join(', ')}` }],
    options: {
      'dry-run': 'check the file, and write nothing',
      links: 'print a one-time sign-in link for each new person',
      csv: 'print comma-separated values',
    },
    summary: 'create accounts from a CSV file, each with limits, a key and a sign-in link',
    example: 'account import people.csv --links',
    input: importInput,
    show: (result, { flags }) =>
      flags.has('csv') ? formatCsv(result as readonly Shown[], IMPORTED_COLUMNS) : showImported(result),
  },
  {
    ...byAccount('account sign-in-link', 'print a one-time link for setting a password (invitation or reset)'),
    show: showSignInLink,
  },
  {
    ...ofAccount('account edit', 'rename an account, or set its credit line', {
      'name TEXT': 'its new name',
      'credit-line USD': "how far it may spend beyond its balance, or 'unlimited'",
    }),
    atLeastOne: ['name', 'credit-line'],
    example: 'account edit --account 7 --name "Acme Ltd"',
  },
  byAccount('account members', 'list the people of an account with their roles and caps'),
  byAccount('account sessions', 'list the sessions of the person of an account'),
  byAccount('account sign-out', 'end all sessions of the person of an account'),
  byAccount('account forget-responses', 'delete all stored responses of an account'),
  byAccount('account callback-secret', 'print the secret that callbacks of an account are signed with'),
  byAccount('account remove-second-factor', 'turn off two-factor authentication and end all sessions'),
])

async function passwordIn({ values: { password }, flags }: Arguments): Promise<object> {
  if (!flags.has('password-stdin')) return {}
  if (password !== undefined) throw new UsageError('use either --password or --password-stdin')
  return { password: (await Bun.stdin.text()).replace(/\r?\n$/, '') }
}

type NewAccountRow = AccountRow & { key_id: string | null; secret: string | null; sign_in_url: string | null }
/** Only with what was asked for. */
function newAccount({ key_id, secret, sign_in_url, ...row }: NewAccountRow) {
  const key = secret === null ? {} : { key_id, secret }
  return { ...flatAccount(row), ...key, ...(sign_in_url === null ? {} : { sign_in_url }) }
}

const IMPORTED_COLUMNS = ['account', 'id', 'result', 'secret', 'sign_in_url']
const showImported = shown('account', '>id', 'result', 'secret', 'sign-in link=sign_in_url')

/** The link itself goes to the holder. */
function showSignInLink(result: unknown): string {
  const { email, url } = result as { email: string; url: string }
  return `Give this link to the holder of ${email} (it works once, within 24 hours):\n\n  ${url}\n`
}
