// A program that prints keys: run without a shell, with bounded time and output, and with nothing of the gateway's.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../../../../../test/support/eventually.ts'
import { failureOf, useClouds } from '../../../../../test-support/clouds/use-clouds.ts'
import { runCredentialProcess, splitCommand } from './credential-process.ts'
import { awsSource } from './index.ts'

const setup = useClouds()
const KEYS = {
  Version: 1,
  AccessKeyId: 'ASIAPRINTED',
  SecretAccessKey: 'printed-secret',
  SessionToken: 'printed-token',
}
const NAME = 'profile p, credential_process'
const never = new AbortController().signal

/** A script that is run by its own name. */
function program(script: string): string {
  const path = setup.file(`program-${crypto.randomUUID()}.sh`, `#!/bin/sh\n${script}\n`)
  Bun.spawnSync(['chmod', '+x', path])
  return path
}
const prints = (value: unknown) =>
  program(`cat <<'END'\n${typeof value === 'string' ? value : JSON.stringify(value)}\nEND`)
const run = (command: string, timeoutMs?: number) =>
  runCredentialProcess(NAME, command, setup.tools(), never, timeoutMs)

test('temporary keys, and keys without an end', async () => {
  const Expiration = '2027-01-15T13:00:00Z'
  expect(await run(prints({ ...KEYS, Expiration }))).toEqual({
    value: { accessKey: 'ASIAPRINTED', secretKey: 'printed-secret', sessionToken: 'printed-token' },
    expiresAt: Date.parse(Expiration),
  })
  const { SessionToken: _, ...keys } = KEYS
  expect(await run(prints(keys))).toEqual({
    value: { accessKey: 'ASIAPRINTED', secretKey: 'printed-secret', sessionToken: undefined },
    expiresAt: undefined,
  })
})

test('a profile names the command, which is run anew each time', async () => {
  const count = join(setup.folder, 'count')
  const command = program(`echo x >> ${count}; echo '${JSON.stringify(KEYS)}'`)
  const AWS_CONFIG_FILE = setup.file('process/config', `[profile p]\ncredential_process = ${command} --quiet\n`)
  const source = awsSource({ type: 'aws', profile: 'p' }, setup.tools({ AWS_CONFIG_FILE }))
  for (let times = 1; times <= 2; times++) {
    expect((await source.read(never)).value.accessKey).toBe('ASIAPRINTED')
    expect(await Bun.file(count).text()).toBe('x\n'.repeat(times))
  }
  expect(source.name).toBe(NAME)
})

describe('the command', () => {
  test.each([
    ['/bin/a', ['/bin/a']],
    ['  /bin/a  -b   c ', ['/bin/a', '-b', 'c']],
    ['"/opt/my tools/a" --name "x y" \'z "w"\'', ['/opt/my tools/a', '--name', 'x y', 'z "w"']],
    ['a --b="c d"e', ['a', '--b=c de']],
    ['a "" b', ['a', '', 'b']],
    ['a $(id) `id` $HOME ; b | c > d && e', ['a', '$(id)', '`id`', '$HOME', ';', 'b', '|', 'c', '>', 'd', '&&', 'e']],
  ])('%s', (command, words) => expect(splitCommand(NAME, command)).toEqual(words))

  test.each(['', '   ', 'a "b', "a 'b", '"'])('%j is no command', async (command) => {
    expect(await failureOf(run(command))).toContain('the command is empty, or has a quote without its end')
  })

  test('no shell reads it', async () => {
    const touched = join(setup.folder, 'touched')
    const echo = program(`echo "{\\"Version\\": 1, \\"AccessKeyId\\": \\"$#\\", \\"SecretAccessKey\\": \\"s\\"}"`)
    expect((await run(`${echo} $(touch ${touched}) ; touch ${touched}`)).value.accessKey).toBe('5')
    expect(existsSync(touched)).toBe(false)
  })

  test('it gets the variables for programs and no others', async () => {
    const printed = program(
      `echo "{\\"Version\\": 1, \\"AccessKeyId\\": \\"$(env | cut -d= -f1 | grep -v '^_$\\|PWD\\|SHLVL' | tr '\\n' ,)\\", \\"SecretAccessKey\\": \\"s\\"}"`,
    )
    expect((await run(printed)).value.accessKey).toBe('PATH,')
  })
})

describe('a program that fails', () => {
  test.each<[string, () => string, string]>([
    ['is not there', () => '/nowhere/program', 'cannot be started; give its whole path'],
    ['is no program', () => setup.file('plain', 'x'), 'cannot be started'],
    [
      'exits with an error',
      () => program('echo printed-secret >&2; echo printed-secret; exit 3'),
      'ends with exit code 3; run it by hand',
    ],
    ['is killed', () => program('kill -9 $$'), 'ends with SIGKILL'],
    ['prints no JSON', () => prints('printed-secret'), 'does not print a JSON object with "Version": 1'],
    ['prints another version', () => prints({ ...KEYS, Version: 2 }), 'does not print a JSON object with "Version": 1'],
    ['prints no secret', () => prints({ ...KEYS, SecretAccessKey: undefined }), 'prints no SecretAccessKey'],
    [
      'prints a key that no header can carry',
      () => prints({ ...KEYS, SessionToken: 'a\r\nb' }),
      'prints no SessionToken',
    ],
    ['prints no date', () => prints({ ...KEYS, Expiration: 'soon' }), 'prints an Expiration that is no date'],
    ['prints without end', () => program('exec yes printed-secret'), 'prints more than 64 KiB'],
  ])('it %s', async (_, command, message) => {
    expect(await failureOf(run(command()), ['printed-secret'])).toStartWith(`${NAME}: the program `)
    expect(await failureOf(run(command()))).toContain(message)
  })

  test('it does not exit: it ends, and what it has started ends with it', async () => {
    const pids = join(setup.folder, 'pids')
    const command = program(`sleep 600 & echo $$ $! > ${pids}; wait`)
    const waiting = new AbortController()
    const message = failureOf(runCredentialProcess(NAME, command, setup.tools(), waiting.signal))
    await eventually(() => existsSync(pids) && Bun.file(pids).size > 3)
    waiting.abort()
    expect(await message).toContain('has not exited in time')
    for (const pid of (await Bun.file(pids).text()).trim().split(' ')) await eventually(() => !isRunning(Number(pid)))
  })

  test('its time is bounded', async () => {
    expect(await failureOf(run(program('sleep 600'), 20))).toContain('has not exited in time')
  })
})

/** A process that has ended and was not waited for is none. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
