// Help, generated from the table: complete, the same however it is asked for, and with examples that are right.
import { describe, expect, test } from 'bun:test'
import type { TObject } from 'typebox'
import { runHere } from '../../test-support/run-command.ts'
import { OPERATIONS } from '../operate/index.ts'
import { parseArguments } from './args.ts'
import { type Command, checkArguments, flagsOf, operationOf } from './command.ts'
import { fieldOf } from './commands/declare.ts'
import { STORE_COMMANDS } from './commands/store-commands.ts'
import { COMMANDS } from './help.ts'

/** Help needs no data folder, and makes none. */
const command = (args: readonly string[]) => runHere(args, '/nonexistent/trivium')

describe('help', () => {
  const NAMES = [...COMMANDS.keys()]

  test('the table has every documented command', () => {
    expect(NAMES.toSorted()).toEqual([
      'account callback-secret',
      'account create',
      'account credit',
      'account credit-line',
      'account delete',
      'account disable',
      'account edit',
      'account enable',
      'account forget-responses',
      'account import',
      'account limit',
      'account list',
      'account member',
      'account members',
      'account notices',
      'account remove-second-factor',
      'account sessions',
      'account show',
      'account sign-in-link',
      'account sign-out',
      'admin-key create',
      'admin-key delete',
      'admin-key list',
      'admin-key show',
      'alert list',
      'alert mute',
      'alert rules',
      'alert target add',
      'alert target remove',
      'alert target replace',
      'alert targets',
      'alert test',
      'alert unmute',
      'audit',
      'audit-log',
      'backup',
      'budget change',
      'budget create',
      'budget delete',
      'budget list',
      'budget show',
      'code create',
      'code list',
      'code revoke',
      'config check',
      'config entries',
      'config export',
      'config import',
      'config restore',
      'config revision',
      'config revisions',
      'doctor',
      'group add',
      'group delete',
      'group edit',
      'group list',
      'group show',
      'invitation create',
      'invitation list',
      'invitation revoke',
      'job list',
      'key create',
      'key delete',
      'key find',
      'key limit',
      'key list',
      'key rotate',
      'key show',
      'ledger transfers',
      'licenses',
      'mail test',
      'migrate',
      'model add',
      'model delete',
      'model edit',
      'model list',
      'model price-preview',
      'model route-preview',
      'model show',
      'node list',
      'person disable',
      'person enable',
      'person list',
      'person role',
      'person show',
      'prices diff',
      'ready',
      'rejected-requests',
      'report failures',
      'report session',
      'report spend',
      'report statement',
      'report usage',
      'request list',
      'request refund',
      'request show',
      'restore',
      'sandbox',
      'secret rotate',
      'serve',
      'settings set',
      'settings show',
      'settings unset',
      'system sizes',
      'task cancel',
      'task list',
      'task query',
      'task release',
      'task show',
      'upstream add',
      'upstream certify',
      'upstream delete',
      'upstream disable',
      'upstream drain',
      'upstream edit',
      'upstream enable',
      'upstream key add',
      'upstream key erase',
      'upstream key list',
      'upstream key remove',
      'upstream key replace',
      'upstream list',
      'upstream models',
      'upstream reset',
      'upstream show',
      'upstream state',
      'upstream test',
      'usage',
    ])
  })

  /** By commands of their own, of which each shows more than the operation. */
  const WITHOUT_COMMAND = {
    'upstream list': "'upstream list' asks every process for its health, too",
    'upstream state': "'upstream state' asks every process",
    overview: 'a page of figures; reports and lists have each of them',
    search: 'commands take the email address, name or id of what they are about',
    'ledger accounts': "for the console: 'audit' proves that they add up",
    'ledger audits': "'audit' shows the result of a new one",
    'ledger audit start': "'audit' waits for the result",
    'upstream states': "for 'upstream list'",
    'upstream kinds': 'docs/reference/upstream-kinds.md lists them',
    'upstream figures': "'upstream list' shows them of every process",
    'upstream draft-test': "'upstream test' calls what is stored",
    'upstream draft-models': "'upstream models' lists those of what is stored",
    'price proposals': "'prices diff' compares with the list",
    'key groups': "for 'config check' and 'doctor'",
    'config unused': "for 'config check' and 'doctor'",
    'server state': "for 'doctor'",
    'role list': 'fixed; the documentation has the table',
    'secrets check': "for 'doctor'",
    'tables check': "for 'doctor'",
    'system doctor': "'doctor' also works without a server",
    'system show': "'node list' and 'version' tell it",
    'model price-impact': "for the console: 'model price-preview' shows what a single request costs",
    'group price-impact': "for the console: 'model price-preview' shows what a single request costs",
    'account notes': 'for colleagues, who read them in the console',
    'account note add': 'for colleagues, who read them in the console',
    'account note delete': 'for colleagues, who read them in the console',
    'account bulk': "a script repeats 'account disable', 'account limit' or 'account credit'",
    'key bulk': "a script repeats 'key limit' or 'key delete'",
    'code batches': "'code list --label' lists the codes of a batch",
    'code redeem': 'account holders redeem codes; operators credit accounts',
  }

  test('every operation has a command, or a reason why not', () => {
    const called = STORE_COMMANDS.map(operationOf)
    expect(called.filter((name) => !OPERATIONS.has(name))).toEqual([])
    const missing = [...OPERATIONS.keys()].filter((name) => !called.includes(name))
    expect(missing.toSorted()).toEqual(Object.keys(WITHOUT_COMMAND).toSorted())
  })

  test('every option sets a field of the operation, or is read by its command alone', () => {
    const others = STORE_COMMANDS.flatMap((command) => {
      const { properties } = OPERATIONS.get(operationOf(command))?.input as TObject
      return command.options.flatMap(({ name }) => fieldOf(name, properties) ?? `${command.name} --${name}`)
    })
    const ofFiles = /^(upstream|model|group) (add|edit) --(from|set|key-file|route|id)$/
    expect(others.filter((each) => / --/.test(each) && !ofFiles.test(each)).toSorted()).toEqual([
      'account create --password-stdin',
      'account import --csv',
      'account member --keys',
      'alert target add --secret-file',
      'alert target add --url-file',
      'alert target replace --secret-file',
      'alert target replace --url-file',
      'audit-log --jsonl',
      'config import --dry-run',
      'report spend --csv',
      'report statement --csv',
      'report statement --part',
      'report usage --csv',
      'upstream certify --max-cost',
      'upstream certify --server',
      'upstream certify --yes',
      'upstream key add --key-file',
      'upstream key replace --key-file',
    ])
  })

  test.each([[], ['help'], ['--help'], ['-h']].map((args) => ({ args })))('$args lists all commands', async ({
    args,
  }) => {
    const { code, stdout, stderr } = await command(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of NAMES) expect(stdout).toMatch(new RegExp(`^  ${name} {2,}\\S`, 'm'))
    expect(stdout.split('\n').filter((line) => line.length > 120)).toEqual([])
    const { stdout: json } = await command([...args, '--json'])
    expect(JSON.parse(json).map(({ name }: { name: string }) => name)).toEqual(NAMES)
  })

  test.each(NAMES)('of %s: the same by help, --help and -h, with every option and a valid example', async (name) => {
    const words = name.split(' ')
    const { code, stdout, stderr } = await command(['help', ...words])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const flag of ['--help', '-h']) expect((await command([...words, flag])).stdout).toBe(stdout)
    const { options, example } = JSON.parse((await command(['help', ...words, '--json'])).stdout)
    for (const option of options) expect(stdout).toMatch(new RegExp(`^  ${option.name}( \\S+)? {2,}\\S`, 'm'))
    expect(stdout).toContain(example)
    const entry = COMMANDS.get(name) as Command
    expect(example.startsWith(name)).toBe(true)
    const rest = [...example.slice(name.length).matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain,
    )
    checkArguments(entry, parseArguments(rest, flagsOf(entry)))
  })

  test('of a group lists its commands', async () => {
    const { code, stdout } = await command(['help', 'account'])
    expect(code).toBe(0)
    expect(stdout.match(/^ {2}account \w+/gm)).toHaveLength(20)
    expect((await command(['account', '--help'])).stdout).toBe(stdout)
  })

  test('--version', async () => {
    expect(await command(['--version'])).toEqual({ code: 0, stdout: 'Trivium 1.2.3\n', stderr: '' })
    expect((await command(['--version', '--json'])).stdout).toBe('{"version":"1.2.3"}\n')
  })

  test('of a command with arguments does not run it', async () => {
    const { code, stdout } = await command(['key', 'delete', '1', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('key delete ID')
  })
})
