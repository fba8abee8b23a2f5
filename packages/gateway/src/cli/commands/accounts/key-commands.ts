// The commands that work on keys of accounts.
import type { KeyRow } from '../../../administration/key-rows.ts'
import type { StoreCommand } from '../../command.ts'
import { showKeys, showKeysOfAll } from '../columns.ts'
import { present, TERM_NAMES, termsInput, wholeNumber } from '../inputs.ts'
import { ANY_ACCOUNT, byAccount, SECTION, TERMS } from './options.ts'

const ID = { name: 'ID', summary: "the key's id; 'key list' shows it" } as const
/** Limits beside the other fields, as these commands have always had them. */
const flatKey = ({ limits, networks, ceiling: _, ...row }: KeyRow) => ({ ...row, ips: networks, ...limits })

export const KEY_COMMANDS: readonly StoreCommand[] = [
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
    name: 'key list',
    section: SECTION,
    positionals: [],
    summary: 'list keys: all, or those of an account, or those that a person made',
    options: [
      ANY_ACCOUNT,
      {
        name: 'made-by',
        value: 'EMAIL',
        summary: 'only keys that this person made, in all accounts or as an operator',
      },
    ],
    input: ({ values }) =>
      present([
        ['account', values.account],
        ['made_by', values['made-by']],
      ]),
    example: 'key list --account ada@example.com',
    rows: 0,
    // The operation gives the newest first.
    json: (rows: KeyRow[]) => rows.toReversed().map(flatKey),
    show: (result, { values }) => (values.account === undefined ? showKeysOfAll : showKeys)(result),
  },
  {
    name: 'key limit',
    section: SECTION,
    positionals: [ID],
    options: TERMS,
    summary: "change the limits of a key; 'none' removes one",
    atLeastOne: TERM_NAMES,
    example: 'key limit 7 --cap 20 --rpm none',
    input: ({ positionals: [key], values }) => ({ key, ...termsInput(values, true) }),
    mayRemove: true,
    json: flatKey,
  },
  {
    name: 'key show',
    section: SECTION,
    positionals: [ID],
    options: [],
    summary: 'show a key with its limits',
    example: 'key show 7',
    input: ({ positionals: [key] }) => ({ key }),
    json: flatKey,
  },
  {
    name: 'key rotate',
    section: SECTION,
    positionals: [ID],
    options: [{ name: 'grace', value: 'SECONDS', summary: 'how long the previous secret still works; default: 0' }],
    summary: 'create a new secret for a key; shown once',
    example: 'key rotate 7 --grace 3600',
    input: ({ positionals: [key], values: { grace } }) => ({
      key,
      ...present([['grace_seconds', grace === undefined ? undefined : wholeNumber(grace)]]),
    }),
    json: ({ key, secret }: { key: KeyRow; secret: string }) => ({ ...flatKey(key), secret }),
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
]
