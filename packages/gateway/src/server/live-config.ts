// The configuration in force, compiled, and how another one takes its place: after an edit of the file, or a new revision in the store.
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import { type Catalogue, compileCatalogue } from '../catalogue/catalogue.ts'
import type { Assembled, AssembleResult } from '../config/assemble.ts'
import { describeChanges } from '../config/changes.ts'
import { hasRealUpstream } from '../config/sandbox.ts'
import { entryKey } from '../config/stored.ts'
import type { FileConfig } from '../config/types.ts'
import type { Log } from '../observe/log.ts'
import type { Assemble, ConfigFile, ConfigurationParts, InForce, Stored } from '../operate/configuration/parts.ts'
import { readStored } from '../operate/configuration/secrets.ts'
import { takeBackSandboxCredit } from '../startup/take-back-sandbox-credit.ts'
import type { Storage } from '../storage/storage.ts'
import { createHealth, type Health } from '../upstreams/health/health.ts'

export type LiveConfig = ConfigurationParts & {
  catalogue(): Catalogue
  config(): FileConfig
  /** The health of upstreams, which outlives a configuration. */
  upstreamHealth: Health
  /** Called with each configuration that comes into force after the first. */
  onChange(run: (config: FileConfig) => void): void
  /** What another file would give. */
  withFile(file: ConfigFile): Promise<AssembleResult>
  /** Resolves when it is in force; rejects if it cannot be. */
  useFile(file: ConfigFile): Promise<void>
  /** Reads the secrets again that are kept elsewhere. Resolves with a pause, after which it should be tried again. */
  renewSecrets(): Promise<number | undefined>
}

/** After a reading that failed. */
const READ_AGAIN_MS = 15_000
/** In one line of the log; `doctor` names all. */
const MOST_TOLD = 20

export function createLiveConfig(
  first: InForce,
  assemble: Assemble,
  storage: Storage,
  cipher: AccountCipher,
  log: Log,
): LiveConfig {
  const upstreamHealth = createHealth()
  const followers: ((config: FileConfig) => void)[] = []
  let inForce = first
  /** The newest that was read; not in force if the file has mistakes with it. */
  let newest = first.stored
  let catalogue = compileCatalogue(first.assembled.config, Date.now(), upstreamHealth)
  storage.shares.setLimits(shareLimits(first.assembled.config))
  let queue: Promise<unknown> = Promise.resolve()
  const reported = new Set<string>()
  /** What could not be read the last time. */
  let unread = ''
  reportInvalid(first.assembled)

  /** Each once: a stored entry that is left out. */
  function reportInvalid({ invalid }: Assembled): void {
    for (const { entry, mistakes } of invalid) {
      const mistake = mistakes.map(({ message }) => message).join('; ')
      const about = { entry: `${entry.kind}/${entry.id}`, revision: entry.revision, mistake }
      const known = JSON.stringify(about)
      if (!reported.has(known)) log.warn('a stored entry is not in force', about)
      reported.add(known)
    }
  }

  /** One change at a time: a slow one must not be overtaken. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = queue.then(work)
    queue = done.catch(() => {})
    return done
  }

  /** With the newest stored entries if the file has no mistakes with them. */
  async function withFile(file: ConfigFile | undefined, fresh: boolean): Promise<AssembleResult & { stored: Stored }> {
    const result = await assemble(file, newest, { fresh })
    if (result.config || newest === inForce.stored) return { ...result, stored: newest }
    const former = await assemble(file, inForce.stored)
    return former.config ? { ...former, stored: inForce.stored } : { ...result, stored: newest }
  }

  async function apply(next: InForce): Promise<void> {
    const { config } = next.assembled
    // The first real upstream serves once no play money can buy from it.
    if (hasRealUpstream(config) && !hasRealUpstream(catalogue.config))
      await takeBackSandboxCredit(storage, config, log).catch((error) =>
        log.error('the trial credit of the sandbox was not taken back', { error: String(error) }),
      )
    catalogue = compileCatalogue(config, Date.now(), upstreamHealth)
    inForce = next
    storage.shares.setLimits(shareLimits(config))
    for (const follow of followers) follow(config)
  }

  async function refresh(): Promise<void> {
    const revision = await storage.configuration.revision()
    if (revision === newest.revision) return
    newest = await readStored(storage, cipher)
    const result = await assemble(inForce.file, newest)
    if (!result.config) {
      for (const { file, line, message } of result.mistakes)
        log.error('the stored configuration is not in force here', {
          revision: newest.revision,
          file,
          line,
          mistake: message,
        })
      return
    }
    const changes = describeChanges(catalogue.config, result.config)
    await apply({ file: inForce.file, stored: newest, assembled: result })
    log.info('configuration changed', {
      revision: newest.revision,
      changes: changes.map(({ what }) => what).join('; ') || 'none',
    })
    for (const { what } of changes.filter(({ restart }) => restart)) log.warn(`${what}: in force at the next start`)
    reportInvalid(result)
  }

  /** Values that cannot be read stay as they are: an outage removes nothing. */
  async function renewSecrets(): Promise<number | undefined> {
    const result = await assemble(inForce.file, newest)
    const lost = result.config ? result.invalid.filter((each) => !isInvalid(each)) : []
    const mistakes = [...result.mistakes, ...lost.flatMap((each) => each.mistakes)]
    const stale = result.config ? result.references.filter(({ problem }) => problem !== undefined) : []
    const problems = [
      ...stale.map(({ name, problem }) => `${name}: ${problem}`),
      ...mistakes.map(({ message }) => message),
    ]
    const told = [...new Set(problems)].slice(0, MOST_TOLD).join('; ')
    if (told !== unread && told !== '')
      log.warn('secrets could not be read; their last values stay', { problems: told })
    if (told !== unread && told === '') log.info('all secrets can be read again')
    unread = told
    if (result.config && lost.length === 0) {
      const changes = describeChanges(catalogue.config, result.config)
      if (changes.length > 0) {
        await apply({ file: inForce.file, stored: newest, assembled: result })
        log.info('secrets changed', { changes: changes.map(({ what }) => what).join('; ') })
        for (const { what } of changes.filter(({ restart }) => restart)) log.warn(`${what}: in force at the next start`)
      } else inForce = { ...inForce, assembled: { ...inForce.assembled, references: result.references } }
    }
    return told === '' ? undefined : READ_AGAIN_MS
  }

  const isInvalid = ({ entry }: Assembled['invalid'][number]): boolean =>
    inForce.assembled.invalid.some((known) => entryKey(known.entry) === entryKey(entry))

  return {
    catalogue: () => catalogue,
    config: () => catalogue.config,
    upstreamHealth,
    onChange: (run) => void followers.push(run),
    assembled: () => inForce.assembled,
    assemble: (stored, strictly) => assemble(inForce.file, stored, { strictly }),
    refresh: () => inTurn(refresh),
    withFile: (file) => withFile(file, true),
    async renewSecrets() {
      if (inForce.assembled.references.length === 0) return undefined
      // Before its turn: other changes do not wait for a Vault that hangs.
      await assemble(inForce.file, newest, { fresh: true })
      return await inTurn(renewSecrets)
    },
    useFile: (file) =>
      inTurn(async () => {
        const { stored, ...assembled } = await withFile(file, false)
        if (!assembled.config) throw new Error(assembled.mistakes.map(({ message }) => message).join('; '))
        await apply({ file, stored, assembled })
        reportInvalid(assembled)
      }),
  }
}

function shareLimits({ server: { limits } }: FileConfig): Parameters<Storage['shares']['setLimits']>[0] {
  return {
    stored: { accountBytes: limits.storedPerAccountBytes, allBytes: limits.storedBytes },
    media: { accountBytes: limits.mediaPerAccountBytes, allBytes: limits.mediaBytes },
  }
}
