// The commands that work on redemption codes.
import { UsageError } from '../../errors.ts'
import { shown } from '../columns.ts'
import { commandsIn } from '../declare.ts'
import { secretWord } from '../reports/report-commands.ts'
import { ROWS, SECTION } from './options.ts'

export const CODE_COMMANDS = commandsIn(SECTION, [
  {
    name: 'code create',
    summary: 'create redemption codes; shown once',
    options: {
      'amount USD!': 'the amount of credit per code',
      'count N': 'number of codes; default: 1',
      'expires TIME': 'when they expire; default: never',
      'label TEXT': 'a name for the batch, to list and revoke it by',
    },
    example: 'code create --amount 20 --count 10 --expires 2030-01-31',
    input: ({ values: { count, expires } }) => ({
      ...(count === undefined ? { count: 1 } : {}),
      ...(expires === undefined ? { expires_at: null } : {}),
    }),
    show: shown('code', 'amount_usd', 'expires_at'),
  },
  {
    name: 'code list',
    summary: 'list redemption codes by their last four characters, newest first',
    options: { 'label TEXT': 'only codes of this batch', ...ROWS },
    example: 'code list --label spring',
    rows: 100,
    show: shown(
      ...['label', 'ends in=last_four', 'amount_usd', 'state'],
      ...['created_at', 'expires_at', 'redeemed_at', '>by account=redeemed_by'],
    ),
  },
  {
    name: 'code revoke',
    positionals: [{ name: 'CODE', optional: true, summary: "the code, or '-' to read it from standard input" }],
    summary: 'revoke an unredeemed code, or all unredeemed codes of a batch',
    options: { 'label TEXT': 'in place of CODE: all of this batch' },
    example: 'code revoke --label spring',
    input: async ({ positionals: [code], values: { label } }) => {
      if ((code === undefined) === (label === undefined)) throw new UsageError('give either CODE or --label')
      return code === undefined ? {} : { code: await secretWord(code) }
    },
  },
])
