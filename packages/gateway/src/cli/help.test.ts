// Help, generated from the table: complete, the same however it is asked for, and with examples that are right.
import { describe, expect, test } from 'bun:test'
import { parseArguments } from './args.ts'
import { type Command, checkArguments, flagsOf } from './command.ts'
import { COMMANDS } from './help.ts'
import { runHere } from './test-run.ts'

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
      'account enable',
      'account forget-responses',
      'account import',
      'account limit',
      'account list',
      'account member',
      'account remove-second-factor',
      'account show',
      'account sign-in-link',
      'admin-key create',
      'admin-key delete',
      'admin-key list',
      'alert list',
      'alert test',
      'audit',
      'audit-log',
      'backup',
      'code create',
      'code list',
      'code revoke',
      'config check',
      'config export',
      'config import',
      'doctor',
      'key create',
      'key delete',
      'key find',
      'key limit',
      'key list',
      'licenses',
      'migrate',
      'model price-preview',
      'model route-preview',
      'person disable',
      'person enable',
      'person role',
      'prices diff',
      'ready',
      'rejected-requests',
      'report failures',
      'report spend',
      'request show',
      'restore',
      'sandbox',
      'secret rotate',
      'serve',
      'upstream disable',
      'upstream drain',
      'upstream enable',
      'upstream list',
      'upstream models',
      'upstream reset',
      'upstream state',
      'upstream test',
      'usage',
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
    expect(stdout.match(/^ {2}account \w+/gm)).toHaveLength(15)
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
