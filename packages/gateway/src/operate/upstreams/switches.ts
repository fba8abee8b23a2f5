// Switches of upstreams of every source: whether they get new requests. Running requests and tasks go on.
import { fields, optional, text } from '../../request/schema/schema.ts'
import type { SwitchState } from '../../storage/storage.ts'
import { followSwitches } from '../../upstreams/health/follow-switches.ts'
import { actorText, audited, type OperationContext, operation } from '../operation.ts'
import { UPSTREAM_STATE } from '../resources/upstreams.ts'
import { configuredUpstream, UPSTREAM_ID } from './configured.ts'
import { effectsOfStopping } from './effects.ts'
import { stateOf } from './state.ts'

const SWITCH = fields({ upstream: UPSTREAM_ID, reason: optional(text({ min: 0, max: 1_000 })) })

const MAINTENANCE = { body: { reason: 'maintenance' } }

/** This process follows at once, the others when they poll the change counter. */
async function follow({ health, storage, config }: OperationContext): Promise<void> {
  if (health) await followSwitches(storage, health, config)
}

const switchTo = <const Name extends string>(
  name: Name,
  state: SwitchState,
  summary: string,
  danger: { isDangerous?: true } = {},
) =>
  operation({
    name,
    permission: 'configuration',
    ...danger,
    route: {
      at: `POST upstreams/{upstream}/${name.slice('upstream '.length)}`,
      summary,
      output: UPSTREAM_STATE,
      example: MAINTENANCE,
    },
    input: SWITCH,
    async run(context, { upstream: id, reason = '' }) {
      const { actor, config, storage } = context
      const upstream = configuredUpstream(config, id)
      const stored = (await storage.upstreams.switches()).find((each) => each.upstream === id)
      const change = {
        object: `upstream/${id}`,
        before: { state: stored?.state ?? 'enabled' },
        after: { state },
        reason,
        effects: state === 'enabled' ? {} : await effectsOfStopping(context, upstream),
      }
      const store = audited(context, name, change).upstreams
      await store.setSwitch({ upstream: id, state, actor: actorText(actor), reason })
      await follow(context)
      return await stateOf(context, upstream)
    },
  })

export const enableUpstream = switchTo('upstream enable', 'enabled', 'Sends requests to an upstream again')
export const disableUpstream = switchTo(
  'upstream disable',
  'disabled',
  'Stops sending new requests to an upstream; running requests and tasks continue',
  { isDangerous: true },
)
export const drainUpstream = switchTo(
  'upstream drain',
  'draining',
  'Stops sending new requests to an upstream, to remove it once the last one has ended',
)

/** Closes the circuit breaker and ends the cool-downs of its keys, in every process. */
export const resetUpstream = operation({
  name: 'upstream reset',
  permission: 'configuration',
  route: {
    at: 'POST upstreams/{upstream}/reset',
    summary: 'Closes the circuit breaker and ends the cool-downs of an upstream, on all nodes',
    output: UPSTREAM_STATE,
    example: MAINTENANCE,
  },
  input: SWITCH,
  async run(context, { upstream: id, reason = '' }) {
    const upstream = configuredUpstream(context.config, id)
    const store = audited(context, 'upstream reset', { object: `upstream/${id}`, after: { keys: 'reset' }, reason })
    await store.upstreams.reset(id)
    await follow(context)
    return await stateOf(context, upstream)
  },
})
