// Checks of what the server talks to: clock, its own readiness, mail, media store, stored secrets.
import { createAccountCipher } from '../../access/secrets/account-cipher.ts'
import { unusedEntries, unusedIn } from '../../administration/configuration/exchange.ts'
import { listRevisions } from '../../administration/configuration/revisions.ts'
import { checkSecrets, type ServerState } from '../../administration/operating/server-state.ts'
import { COMMAND_LINE, perform } from '../../administration/operation.ts'
import type { Environment, FileConfig } from '../../config/types.ts'
import { checkMail, describeMailError } from '../../mail/mailer.ts'
import { mediaFolder } from '../../media/open-media.ts'
import { checkS3 } from '../../media/s3.ts'
import type { Storage } from '../../storage/storage.ts'
import type { CommandContext } from '../context.ts'
import { callServer } from '../control-socket.ts'
import type { Question } from './question.ts'
import { writeProbe } from './write-probe.ts'

const CLOCK_TOLERANCE_MS = 2_000

/** `askedAt`: when the servers answered. `storeTime`: now, undefined if the store is not open here. */
export function clockQuestion(
  states: readonly ServerState[],
  askedAt: number,
  storeTime: number | undefined,
): Question {
  const now = Date.now()
  return {
    check: 'clock',
    advice: 'synchronise the clocks of this machine and of the database (NTP)',
    ask() {
      const differ = (name: string, time: number, own: number) => {
        const seconds = Math.round((time - own) / 1_000)
        if (Math.abs(time - own) > CLOCK_TOLERANCE_MS) throw new Error(`that of ${name} differs by ${seconds} s`)
      }
      for (const { time, store_time } of states) {
        differ('the server', time, askedAt)
        differ('the database', store_time, askedAt)
      }
      if (storeTime !== undefined) differ('the database', storeTime, now)
      return states.length === 0 && storeTime === undefined ? 'nothing to compare it with' : 'agrees'
    },
  }
}

export function serverQuestion(states: readonly ServerState[]): Question {
  return {
    check: 'server',
    advice: 'correct what is shown; the log of the server says more',
    ask() {
      if (states.length === 0) return 'not running'
      const bad = states.filter(({ ready }) => !ready)
      const faults = [...new Set(bad.flatMap((state) => state.faults))]
      if (bad.length > 0)
        throw new Error(`does not take requests${faults.length === 0 ? '' : `: ${faults.join('; ')}`}`)
      const slowest = Math.max(...states.map(({ database_ms }) => database_ms))
      return `ready; the database answers within ${slowest} ms`
    },
  }
}

export function mailQuestion({ mail }: FileConfig): Question[] {
  if (!mail) return []
  return [
    {
      check: 'mail',
      advice: 'correct mail.url of the configuration, or the mail server',
      async ask() {
        await checkMail(mail).catch((error) => {
          throw new Error(describeMailError(error).error)
        })
        return `${new URL(mail.url).host} accepts the connection`
      },
    },
  ]
}

export function mediaQuestion(environment: Environment, config: FileConfig): Question {
  const s3 = config.media?.s3
  return {
    check: 'media store',
    advice: s3
      ? 'correct media.s3 of the configuration, or the rights of its keys'
      : 'make media.disk of the configuration writable for the user that runs the server',
    async ask() {
      if (s3) {
        await checkS3(s3)
        return `the bucket ${s3.bucket} answers`
      }
      const folder = mediaFolder(environment, config) ?? environment.dataDir
      return writeProbe(folder) ? `${folder} can be written` : `${folder} does not exist; a server creates it`
    },
  }
}

/** `storage`: undefined if a running server has it. `use`: the configuration in force, which only then is known here. */
export function storedQuestion(
  context: CommandContext,
  environment: Environment,
  storage: Storage | undefined,
  use: (config: FileConfig) => void,
): Question {
  return {
    check: 'stored configuration',
    advice: 'correct or delete the entries that are named, or restore an earlier revision',
    async ask() {
      if (!storage) {
        const ask = async (name: string, input: object) =>
          (await callServer(environment.dataDir, name, input))?.result as unknown
        const revisions = (await ask(listRevisions.name, { limit: 1 })) as { items: { id: string }[] } | undefined
        const warnings = (await ask(unusedEntries.name, {})) as string[] | undefined
        return { note: revisionNote(revisions?.items[0]?.id ?? '0'), warnings: warnings ?? [] }
      }
      const { assembled, stored } = await context.configuration(environment, storage)
      use(assembled.config)
      const { upstreams, models } = assembled.config
      const counts = `: ${upstreams.size} upstreams, ${models.size} models in force with the file`
      const note = `${revisionNote(String(stored.revision))}${stored.revision === 0 ? '' : counts}`
      return { note, warnings: unusedIn(assembled) }
    },
  }
}

const revisionNote = (revision: string): string => (revision === '0' ? 'nothing is stored' : `revision ${revision}`)

/** `storage`: undefined if a running server has it. */
export function secretsQuestion(
  context: CommandContext,
  environment: Environment,
  config: FileConfig,
  storage: Storage | undefined,
): Question {
  return {
    check: 'secrets',
    advice:
      "start with the TRIVIUM_SECRET that they were stored with; if it is lost: 'account remove-second-factor' for each, and write the keys of stored upstreams again",
    async ask() {
      const { checked, unreadable, unreadableEntries } = storage
        ? await perform(checkSecrets, { actor: COMMAND_LINE, storage, config, listenUrl: '', accountCipher }, {})
        : ((await callServer(environment.dataDir, checkSecrets.name, {}))?.result as SecretsFound)
      if (unreadable.length + unreadableEntries.length === 0) return `${checked} stored secrets can be read`
      if (unreadable.length === 0)
        throw new Error(
          `${unreadableEntries.length} secrets of the stored configuration can no longer be read (ids ${unreadableEntries.slice(0, 20).join(', ')})`,
        )
      throw new Error(
        `the second factors of ${unreadable.length} people can no longer be read (ids ${unreadable.slice(0, 20).join(', ')})`,
      )
    },
  }
  async function accountCipher() {
    if (!storage) throw new Error('the store is not open')
    return createAccountCipher(await context.masterSecrets(environment, storage))
  }
}

type SecretsFound = Awaited<ReturnType<typeof checkSecrets.run>>
