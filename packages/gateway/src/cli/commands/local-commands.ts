// The commands that need no database, or open it themselves.
import { resolve } from 'node:path'
import { startSandboxServer } from '@trivium/sandbox/server.ts'
import NOTICE from '../../../../../NOTICE' with { type: 'text' }
import { certificateWarnings } from '../../operate/doctor/machine.ts'
import type { Arguments } from '../args.ts'
import type { LocalCommand } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { describeDoctor, doctor } from '../doctor/doctor.ts'
import { CommandError, UsageError } from '../errors.ts'
import { describe, Report } from '../output.ts'
import { localCommandsIn } from './declare.ts'
import { askReady } from './ready.ts'
import { rotateSecret } from './secret-rotate.ts'
import { storeWarnings } from './store-warnings.ts'
import { LOCAL_UPSTREAM_COMMANDS } from './upstreams/upstream-commands.ts'

export const LOCAL_COMMANDS: readonly LocalCommand[] = [
  ...LOCAL_UPSTREAM_COMMANDS,
  ...localCommandsIn('Server', [
    {
      name: 'serve',
      summary: 'start the gateway; creates the data folder and the database if needed',
      run: (_, context) => context.serve(),
    },
    {
      name: 'sandbox',
      example: 'sandbox --port 4444',
      summary: 'serve only the sandbox models, as an upstream for tests',
      options: {
        'port N': 'port to listen on; default: a free one',
        'host HOST': 'address to listen on; default: 127.0.0.1',
      },
      run: (parsed, _, json) => runSandbox(parsed, json),
    },
  ]),
  ...localCommandsIn('Configuration and upstreams', [
    {
      name: 'config check',
      example: 'config check trivium.yaml',
      summary: 'check the environment and the configuration file; lists every mistake with its line',
      positionals: [
        { name: 'FILE', optional: true, summary: 'the file to check; default: the file that the server reads' },
      ],
      run: ({ positionals }, context) => checkConfig(positionals[0], context),
    },
    {
      name: 'secret rotate',
      summary: 'switch to a new master secret and re-encrypt everything stored; safe to repeat',
      run: (_, context) => rotateSecret(context),
    },
  ]),
  ...localCommandsIn('Checks', [
    {
      name: 'doctor',
      summary: 'check everything the server depends on, and suggest fixes',
      run: async (_, context) => {
        const examined = await doctor(context)
        return new Report(examined, describeDoctor(examined))
      },
    },
    {
      name: 'ready',
      summary: 'check whether the running server is ready; exit code 1 if not',
      run: (_, context) => askReady(context),
    },
    {
      name: 'licenses',
      summary: 'print the licenses of Trivium and the packages it contains',
      run: async () => new Report({ notice: NOTICE }, NOTICE),
    },
  ]),
]

async function checkConfig(written: string | undefined, context: CommandContext): Promise<unknown> {
  const environment = context.environment()
  const file = written === undefined ? environment.configFile : resolve(written)
  const config = await context.config({ ...environment, configFile: file }, { mayBeEmpty: false })
  const { models, upstreams, groups, hash } = config
  const counts = { upstreams: upstreams.size, models: models.size, groups: groups.size }
  const warnings = [
    ...(written === undefined ? environment.warnings : []),
    ...config.warnings,
    ...(await certificateWarnings(config, Date.now())),
    ...(await storeWarnings(context, environment, config)),
  ]
  const result = { ok: true, file: file ?? null, ...counts, hash, warnings }
  return new Report(
    result,
    describe({ ...result, file: file ?? 'none, defaults', warnings: warnings.length || 'none' }) +
      warnings.map((warning) => `  - ${warning}\n`).join(''),
  )
}

async function runSandbox({ values }: Arguments, json: boolean): Promise<void> {
  const written = values.port ?? '0'
  const port = /^\d{1,5}$/.test(written) ? Number(written) : Number.NaN
  if (!(port <= 65_535)) throw new UsageError('--port must be a number from 0 to 65535')
  try {
    const server = startSandboxServer({ host: values.host ?? '127.0.0.1', port, faults: true })
    process.stdout.write(json ? `${JSON.stringify({ url: server.url })}\n` : `sandbox listening on ${server.url}\n`)
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => server.stop().then(() => process.exit(0)))
  } catch (error) {
    throw new CommandError(`cannot listen on port ${port}: ${error instanceof Error ? error.message : error}`)
  }
}
