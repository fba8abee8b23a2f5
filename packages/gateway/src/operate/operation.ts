// What an operation is: its name, who may call it, the schema of its input, and what it does. The command line, the control socket, the
// console and the admin API all call `perform`.

import type { Static, TSchema } from 'typebox'
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CloudEnvironment } from '../config/settings/cloud-variables.ts'
import type { Environment, FileConfig } from '../config/types.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { UpstreamMeasures } from '../observe/metrics/upstream-measures.ts'
import type { CandidateDependencies } from '../routing/find-candidate.ts'
import type { Account, AuditActor, AuditEntry, GatewayRole, MemberRole, Person, Storage } from '../storage/storage.ts'
import type { TaskWorkDependencies } from '../tasks/dependencies.ts'
import type { TaskTypes } from '../tasks/task-type.ts'
import type { Health } from '../upstreams/health/health.ts'
import type { Send } from '../upstreams/send.ts'
import type { UpstreamCalls } from '../upstreams/upstream-call.ts'
import type { AdminRoute } from './admin-route.ts'
import type { ConfigurationParts } from './configuration/parts.ts'
import { type Permission, permits } from './permissions.ts'
import { checked, rejected } from './rejections.ts'

/**
 * Who asks, and with which rights. An account holder may act on the own account only; a person or an admin key has a role; the command line
 * and jobs may do everything.
 */
export type Actor =
  | { type: 'command-line' }
  | { type: 'job'; name: string }
  | ({ type: 'holder'; person: Person; account: Account; role: MemberRole; isByOperator: boolean } & Remote)
  /** `permissions`: those of the role's that an admin key has; absent: all of them. */
  | ({ type: 'person' | 'admin-key'; id: bigint; role: GatewayRole; permissions?: readonly string[] } & Remote)
type Remote = { address: string; requestId: bigint }

export const COMMAND_LINE: Actor = { type: 'command-line' }

export type OperationContext = {
  actor: Actor
  storage: Storage
  config: FileConfig
  /** The beginning of links without `server.public_url`. */
  listenUrl: string
  accountCipher(): Promise<AccountCipher>
  /** For account holders: the names under which end users are kept. */
  pseudonyms?: Pick<AccountCipher, 'pseudonym'>
  /** Nothing is written: what would be the first write throws a Preview of it. */
  dryRun?: boolean
  /** Why the caller does it, for the audit log; an operation that takes a reason of its own uses that. */
  reason?: string
  /** The configuration in its parts; absent for account holders, who cannot change it. */
  configuration?: ConfigurationParts
  /** Variables of clouds, for calls of upstreams where no server runs. */
  clouds?: CloudEnvironment
  /** Only in a running server. */
  mailer?: Pick<Mailer, 'send' | 'inBackground'>
  health?: Health
  routing?: RoutingState
  tasks?: TaskActs
  /** Whether this server takes requests, and what keeps it from that. */
  readiness?(): { ready: boolean; faults: string[] }
  server?: RunningServer
}

/** `reload`: why the configuration file on disk is not the one in force, if it is not. */
export type RunningServer = {
  environment: Environment
  version: string
  startedAt: number
  reload: { problem?: string | undefined }
}

/** What the requests of a running server are routed by. */
export type RoutingState = {
  nodeId: number
  catalogue: Catalogue
  send: Send
  /** What this process has not stored yet. */
  measures: Pick<UpstreamMeasures, 'recent'>
  candidates: CandidateDependencies & { upstreamCalls: Pick<UpstreamCalls, 'isFull' | 'runningAt'> }
}

/** What changes tasks in a running server: the steps of each type, and what they need. */
export type TaskActs = { types: TaskTypes; deps: TaskWorkDependencies }

export type Operation<Input extends TSchema = TSchema, Result = unknown> = {
  name: string
  /** What the role of a person or an admin key must permit. */
  permission: Permission
  /** Account holders may call it, too. It must look at what is theirs alone. */
  forHolders?: true
  /**
   * It costs money, cuts people off or gives rights away: a person with a second factor needs a fresh proof of it. `with`: only if this field
   * is in the input.
   */
  isDangerous?: true | { with: string }
  /** Absent: the admin API does not serve it. */
  route?: AdminRoute
  input: Input
  /** `input` fits the schema, and the actor has the permission. */
  run(context: OperationContext, input: Static<Input>): Promise<Result>
}

export const operation = <const Name extends string, Input extends TSchema, Result>(
  described: Operation<Input, Result> & { name: Name },
): Operation<Input, Result> & { name: Name } => described

export async function perform<Input extends TSchema, Result>(
  { permission, forHolders, input: schema, run }: Operation<Input, Result>,
  context: OperationContext,
  input: unknown,
): Promise<Result> {
  if (context.actor.type !== 'holder' || !forHolders) need(context.actor, permission)
  return await run(context, checked(schema, input))
}

/** For operations that need more than one permission. */
export function need(actor: Actor, permission: Permission): void {
  if (!may(actor, permission)) throw rejected('forbidden', { permission })
}

export const may = (actor: Actor, permission: Permission): boolean =>
  actor.type === 'command-line' ||
  actor.type === 'job' ||
  (actor.type !== 'holder' && permits(actor.role, permission) && (actor.permissions?.includes(permission) ?? true))

/** Costs and margin are absent from what others see. */
export const seesCosts = (actor: Actor): boolean => may(actor, 'see_costs')

/** What a person should know before a dangerous act, such as `active_keys: 3`; amounts are text, named `..._usd`. */
export type Effects = Readonly<Record<string, number | string>>

/** `effects` is for dry runs alone, so an operation looks them up only if `context.dryRun`. */
type Change = Pick<AuditEntry, 'object'> &
  Partial<Pick<AuditEntry, 'before' | 'after' | 'reason'>> & { effects?: Effects }

/** The store for one write, which also makes this entry in the audit log. A dry run ends here: all checks before the write have passed. */
export function audited(context: OperationContext, action: string, change: Change) {
  preview(context, action, change)
  return context.storage.audited(auditEntry(context, action, change))
}

/** For changes that `audited` does not write: to be called when all has been checked, before anything is done. */
export function preview(context: OperationContext, action: string, change: Change): void {
  if (context.dryRun) throw new Preview(auditEntry(context, action, change), change.effects)
}

/** Thrown by an operation in a dry run: what it would have changed. */
export class Preview extends Error {
  override name = 'Preview'
  readonly entry: AuditEntry
  readonly effects: Effects

  constructor(entry: AuditEntry, effects: Effects = {}) {
    super(`a dry run of ${entry.action}`)
    this.entry = entry
    this.effects = effects
  }
}

/** What a dry run tells. `target`: null for what does not exist yet, and so has no name. */
export type DryRun = {
  object: 'dry_run'
  action: string
  target: string | null
  before: unknown
  after: unknown
  effects: Effects
}

/** Does everything but the change. */
export async function rehearse(operation: Operation, context: OperationContext, input: unknown): Promise<DryRun> {
  try {
    await perform(operation, { ...context, dryRun: true }, input)
    return { object: 'dry_run', action: operation.name, target: null, before: null, after: null, effects: {} }
  } catch (error) {
    if (!(error instanceof Preview)) throw error
    const { action, object, before = null, after = null } = error.entry
    return {
      object: 'dry_run',
      action,
      target: typeof object === 'string' ? object : null,
      before,
      after,
      effects: error.effects,
    }
  }
}

export function auditEntry(
  { actor, reason: given = '' }: Pick<OperationContext, 'actor' | 'reason'>,
  action: string,
  change: Change,
): AuditEntry {
  const { object, before, after, reason = '' } = change
  const [address, requestId] = 'address' in actor ? [actor.address, actor.requestId] : ['', undefined]
  return { actor: auditActor(actor), address, requestId, action, object, before, after, reason: reason || given }
}

export function auditActor(actor: Actor): AuditActor {
  switch (actor.type) {
    case 'command-line':
      return { type: 'command-line', id: '' }
    case 'job':
      return { type: 'job', id: actor.name }
    case 'holder':
      return { type: 'person', id: String(actor.person.id) }
    default:
      return { type: actor.type, id: String(actor.id) }
  }
}

/** As lists name who did something. */
export function actorText(actor: Actor): string {
  const { type, id } = auditActor(actor)
  return id === '' ? type : `${type}/${id}`
}

/** Names a secret in the audit log without revealing it. Only for long random secrets: a short one could be guessed from it. */
export const fingerprint = (hash: Uint8Array): string => `sha256:${Buffer.from(hash).toString('hex').slice(0, 16)}`
