// Checks of what is stored: the configuration, and its secrets.
import { createAccountCipher } from '../../access/secrets/account-cipher.ts'
import type { Assembled } from '../../config/assemble.ts'
import type { Environment, FileConfig } from '../../config/types.ts'
import { unusedEntries, unusedIn } from '../../operate/configuration/exchange.ts'
import { listRevisions } from '../../operate/configuration/revisions.ts'
import type { Question } from '../../operate/doctor/question.ts'
import { describeSecrets, revisionNote, SECRETS_ADVICE, STORED_ADVICE } from '../../operate/doctor/services.ts'
import { COMMAND_LINE, perform } from '../../operate/operation.ts'
import { checkSecrets, type SecretsFound } from '../../operate/system/server-state.ts'
import type { Storage } from '../../storage/storage.ts'
import type { CommandContext } from '../context.ts'
import { callServer } from '../control-socket.ts'

/** `storage`: undefined if a running server has it. `use`: what is in force, which only then is known here. */
export function storedQuestion(
  context: CommandContext,
  environment: Environment,
  storage: Storage | undefined,
  use: (assembled: Assembled) => void,
): Question {
  return {
    check: 'stored configuration',
    advice: STORED_ADVICE,
    async ask() {
      if (!storage) {
        const ask = async (name: string, input: object) =>
          (await callServer(environment.dataDir, name, input))?.result as unknown
        const revisions = (await ask(listRevisions.name, { limit: 1 })) as { items: { id: string }[] } | undefined
        const warnings = (await ask(unusedEntries.name, {})) as string[] | undefined
        return { note: revisionNote(revisions?.items[0]?.id ?? '0'), warnings: warnings ?? [] }
      }
      const { assembled, stored } = await context.configuration(environment, storage)
      use(assembled)
      const { upstreams, models } = assembled.config
      const counts = `: ${upstreams.size} upstreams, ${models.size} models in force with the file`
      const note = `${revisionNote(String(stored.revision))}${stored.revision === 0 ? '' : counts}`
      return { note, warnings: unusedIn(assembled) }
    },
  }
}

/** `storage`: undefined if a running server has it. */
export function secretsQuestion(
  context: CommandContext,
  environment: Environment,
  config: FileConfig,
  storage: Storage | undefined,
): Question {
  return {
    check: 'secrets',
    advice: SECRETS_ADVICE,
    async ask() {
      const found = storage
        ? await perform(checkSecrets, { actor: COMMAND_LINE, storage, config, listenUrl: '', accountCipher }, {})
        : ((await callServer(environment.dataDir, checkSecrets.name, {}))?.result as SecretsFound)
      return describeSecrets(found)
    },
  }
  async function accountCipher() {
    if (!storage) throw new Error('the store is not open')
    return createAccountCipher(await context.masterSecrets(environment, storage))
  }
}
