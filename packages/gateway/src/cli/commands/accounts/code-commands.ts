// The commands that work on redemption codes.
import type { StoreCommand } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { showCodes, showKeptCodes } from '../columns.ts'
import { time, wholeNumber } from '../inputs.ts'
import { secretWord } from '../reports/report-commands.ts'
import { ROWS, SECTION } from './options.ts'

export const CODE_COMMANDS: readonly StoreCommand[] = [
  {
    name: 'code create',
    section: SECTION,
    positionals: [],
    summary: 'create redemption codes; shown once',
    options: [
      { name: 'amount', value: 'USD', required: true, summary: 'the amount of credit per code' },
      { name: 'count', value: 'N', summary: 'number of codes; default: 1' },
      { name: 'expires', value: 'TIME', summary: 'when they expire; default: never' },
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
    summary: 'revoke an unredeemed code, or all unredeemed codes of a batch',
    options: [{ name: 'label', value: 'TEXT', summary: 'in place of CODE: all of this batch' }],
    example: 'code revoke --label spring',
    input: async ({ positionals: [code], values: { label } }) => {
      if ((code === undefined) === (label === undefined)) throw new UsageError('give either CODE or --label')
      return code === undefined ? { label } : { code: await secretWord(code) }
    },
  },
]
