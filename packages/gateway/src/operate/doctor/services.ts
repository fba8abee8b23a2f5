// Checks of what the server talks to: clock, its own readiness, mail, media store, upstreams.
import { askProvider } from '../../access/company-tokens/open.ts'
import { fetchKeys } from '../../access/company-tokens/provider-keys.ts'
import type { Reference } from '../../config/secrets/references.ts'
import type { Environment, FileConfig, Upstream } from '../../config/types.ts'
import { checkMail, describeMailError } from '../../mail/mailer.ts'
import { mediaFolder } from '../../media/open-media.ts'
import { checkS3 } from '../../media/s3.ts'
import type { Probe, ProbeState } from '../../upstreams/diagnostics/probe-upstream.ts'
import type { SecretsFound, ServerState } from '../system/server-state.ts'
import type { Check, Question } from './question.ts'
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

/** `file`: what a command reads, to compare it with that of the servers; undefined if there is nothing to compare. */
export function serverQuestion(states: readonly ServerState[], file?: string | null): Question {
  return {
    check: 'server',
    advice: 'correct what is shown; the log of the server says more',
    ask() {
      if (states.length === 0) return 'not running'
      const bad = states.filter(({ ready }) => !ready)
      const faults = [...new Set(bad.flatMap((state) => state.faults))]
      if (bad.length > 0)
        throw new Error(`does not take requests${faults.length === 0 ? '' : `: ${faults.join('; ')}`}`)
      // A server of another version may not say it.
      const problem = states.map(({ configuration }) => configuration?.problem).find(Boolean)
      if (problem) throw new Error(`the configuration was not reloaded, and the former one stays in force: ${problem}`)
      const other = states.find(({ configuration }) => configuration && configuration.file !== file)
      const warnings =
        file === undefined || !other
          ? []
          : [`the server uses ${nameOf(other.configuration.file)}, and this command ${nameOf(file)}`]
      const slowest = Math.max(...states.map(({ database_ms }) => database_ms))
      return { note: `ready; the database answers within ${slowest} ms`, warnings }
    },
  }
}

const nameOf = (file: string | null): string => file ?? 'no configuration file'

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

/** Whether the keys can be had that company tokens are signed with. */
export const tokenQuestions = ({ signIn }: Pick<FileConfig, 'signIn'>): Question[] =>
  signIn.providers
    .filter(({ id }) => signIn.apiTokens.some(({ provider }) => provider === id))
    .map((provider) => ({
      check: `company tokens of ${provider.id}`,
      advice: 'correct the issuer of the provider in sign_in.providers, or let this machine reach it',
      ask: async () => `${(await fetchKeys(provider, askProvider)).size} keys of the provider can be read`,
    }))

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

const UPSTREAM_ADVICE: Readonly<Partial<Record<ProbeState, string>>> = {
  unreachable: 'check base_url, DNS, firewall and certificate, and that the service runs',
  'key rejected': 'replace the key in the configuration, or check its permissions',
  'no credential': 'correct auth of the upstream, or the source that is named',
  failing: "the service itself fails; check its status page, and run 'upstream test'",
}

/** What the calls of `probeUpstream` say, which cost nothing. */
export function upstreamCheck({ id }: Pick<Upstream, 'id'>, found: readonly Probe[]): Check {
  const bad = found.find(({ state }) => UPSTREAM_ADVICE[state] !== undefined)
  const said = (bad ?? found.find(({ note }) => note !== null))?.note
  const note = `${describeProbes(found)}${said === undefined || said === null ? '' : `: ${said}`}`
  const advice = bad ? (UPSTREAM_ADVICE[bad.state] ?? null) : null
  const warnings = found.flatMap((probe) => probe.warnings ?? [])
  return { check: `upstream ${id}`, ok: !bad, note, advice, warnings }
}

/** `healthy`, or the state of each key. */
export function describeProbes(probes: readonly Probe[]): string {
  const states = [...new Set(probes.map(({ state }) => state))]
  if (states.length === 1) return states[0] ?? ''
  return probes.map(({ key, state }) => `key ${key} ${state}`).join(', ')
}

/** What `secrets check` found. Throws if a secret cannot be read. */
export function describeSecrets({ checked, unreadable, unreadableEntries }: SecretsFound): string {
  if (unreadable.length + unreadableEntries.length === 0) return `${checked} stored secrets can be read`
  if (unreadable.length === 0)
    throw new Error(
      `${unreadableEntries.length} secrets of the stored configuration can no longer be read (ids ${unreadableEntries.slice(0, 20).join(', ')})`,
    )
  throw new Error(
    `the second factors of ${unreadable.length} people can no longer be read (ids ${unreadable.slice(0, 20).join(', ')})`,
  )
}

export const SECRETS_ADVICE =
  "start with the TRIVIUM_SECRET that they were stored with; if it is lost: 'account remove-second-factor' for each, and write the keys of stored upstreams again"

/** Secrets that are kept elsewhere, each by its name. */
export const referenceQuestions = (references: readonly Reference[]): Question[] =>
  references.map(({ name, problem }) => ({
    check: `secret ${name}`,
    advice: 'correct what is named; a running server keeps the value that it read last',
    ask() {
      if (problem !== undefined) throw new Error(problem)
      return 'can be read'
    },
  }))

export const revisionNote = (revision: string): string =>
  revision === '0' ? 'nothing is stored' : `revision ${revision}`

export const STORED_ADVICE = 'correct or delete the entries that are named, or restore an earlier revision'
