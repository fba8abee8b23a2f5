// The commands that work on keys of accounts.
import type { KeyRow } from '../../../operate/key-rows.ts'
import { LIMITS, MADE_BY, shown } from '../columns.ts'
import { commandsIn } from '../declare.ts'
import { TERM_NAMES } from '../inputs.ts'
import { ANY_ACCOUNT, byAccount, SECTION, TERMS } from './options.ts'

const ID = { name: 'ID', summary: "the key's id; 'key list' shows it" } as const
/** Limits beside the other fields, as these commands have always had them. */
export const flatKey = ({ limits, networks, ceiling: _, ...row }: KeyRow) => ({ ...row, ips: networks, ...limits })

const TERM_COLUMNS = ['spent_usd', 'cap_usd', 'per=cap_period', ...LIMITS, 'models', 'ips'] as const
const FACTS = ['name', 'group', 'state', ...TERM_COLUMNS, MADE_BY, 'expires_at', 'created_at'] as const
const showKeys = shown('>id', ...FACTS)
const showKeysOfAll = shown('>id', 'account', ...FACTS)

export const KEY_COMMANDS = commandsIn(SECTION, [
  {
    ...byAccount('key create', 'create a key; its secret is shown once', {
      'name TEXT!': 'its name',
      'group GROUP': 'which models it may use and at which price; default: default',
      ...TERMS,
    }),
    json: ({ key, secret }: { key: KeyRow; secret: string }) => ({ ...flatKey(key), secret }),
    example: 'key create --account ada@example.com --name laptop --cap 5 --cap-period month',
  },
  {
    name: 'key list',
    summary: 'list keys: all, or those of an account, or those that a person made',
    options: { ...ANY_ACCOUNT, 'made-by EMAIL': 'only keys that this person made, in all accounts or as an operator' },
    example: 'key list --account ada@example.com',
    rows: 0,
    // The operation gives the newest first.
    json: (rows: KeyRow[]) => rows.toReversed().map(flatKey),
    show: (result, { values }) => (values.account === undefined ? showKeysOfAll : showKeys)(result),
  },
  {
    name: 'key limit',
    positionals: [ID],
    options: TERMS,
    summary: "change the limits of a key; 'none' removes one",
    atLeastOne: TERM_NAMES,
    example: 'key limit 7 --cap 20 --rpm none',
    mayRemove: true,
    json: flatKey,
  },
  {
    name: 'key show',
    positionals: [ID],
    summary: 'show a key with its limits',
    example: 'key show 7',
    json: flatKey,
  },
  {
    name: 'key rotate',
    positionals: [ID],
    options: { 'grace SECONDS': 'how long the previous secret still works; default: 0' },
    summary: 'create a new secret for a key; shown once',
    example: 'key rotate 7 --grace 3600',
    json: ({ key, secret }: { key: KeyRow; secret: string }) => ({ ...flatKey(key), secret }),
  },
  {
    name: 'key delete',
    positionals: [ID],
    summary: 'delete a key permanently',
    example: 'key delete 7',
    json: flatKey,
  },
])
