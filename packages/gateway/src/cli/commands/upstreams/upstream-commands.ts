// The commands about upstreams and their models.

import type { Environment, FileConfig } from '../../../config/types.ts'
import type { OperationName } from '../../../operate/index.ts'
import { certifyWithoutStore } from '../../../operate/upstreams/certify.ts'
import { listUpstreamStates, type ShownState, showUpstreamState } from '../../../operate/upstreams/state.ts'
import { testWithoutStore } from '../../../operate/upstreams/test.ts'
import { readPriceList } from '../../../upstreams/prices/price-list.ts'
import { compareWithList, type PriceReport } from '../../../upstreams/prices/price-report.ts'
import type { CommandContext } from '../../context.ts'
import { callEachProcess } from '../../control-socket.ts'
import { CommandError } from '../../errors.ts'
import { Report } from '../../output.ts'
import { commandsIn, localCommandsIn, type OptionTexts } from '../declare.ts'
import { describePrices } from '../prices-diff.ts'
import { showModels, showPrice, showRoute, unitsInput } from './model-previews.ts'
import { certifyInParts, showCertification } from './upstream-certify.ts'
import { listUpstreams } from './upstream-list.ts'
import { probeAll } from './upstream-probes.ts'
import { showTest } from './upstream-test.ts'

const SECTION = 'Configuration and upstreams'
const ID = { name: 'ID', summary: "the upstream's id; 'upstream list' shows it" } as const
const MODEL = { name: 'MODEL', summary: 'the id of a model of this gateway' } as const
const REASON: OptionTexts = { 'reason TEXT': 'reason, kept with the switch and in the audit log' }

/** They ask every server process of the data folder. */
export const LOCAL_UPSTREAM_COMMANDS = localCommandsIn(SECTION, [
  {
    name: 'upstream list',
    summary: 'list the upstreams with their health',
    run: async (_, context) => {
      const environment = context.environment()
      const config = await configInForce(context, environment)
      const [states, probes] = await Promise.all([
        callEachProcess(environment.dataDir, listUpstreamStates),
        probeAll(config, environment.clouds),
      ])
      return listUpstreams(config, { states, probes })
    },
  },
  {
    name: 'upstream state',
    positionals: [ID],
    example: 'upstream state openai',
    summary: 'show circuit breaker, cool-downs and running requests of an upstream',
    run: async ({ positionals: [upstream] }, context) => {
      const { dataDir } = context.environment()
      const states = await callEachProcess(dataDir, showUpstreamState, { upstream })
      if (states.length === 0)
        throw new CommandError(`no server runs on ${dataDir}, and only a running server knows the state of upstreams`)
      return new Report(states, states.map(describeState).join(''))
    },
  },
])

const act = (name: OperationName, summary: string) => ({
  name,
  summary,
  positionals: [ID],
  options: REASON,
  example: `${name} openai --reason "maintenance"`,
  show: (state: unknown) => describeState(state as ShownState),
})

export const UPSTREAM_COMMANDS = commandsIn(SECTION, [
  act('upstream enable', 'send requests to an upstream again'),
  act('upstream disable', 'send no new requests to an upstream; running requests and tasks continue'),
  act('upstream drain', 'like disable, for removing the upstream once its last request has ended'),
  act('upstream reset', 'close the circuit breaker and end the cool-downs of an upstream, in all servers'),
  {
    name: 'upstream test',
    summary: 'call an upstream with each of its keys; the cost is booked to the ledger account tests',
    positionals: [ID],
    options: {
      'model MODEL': 'the model to call; default: the first one routed to it',
      estimate: 'call nothing: show what the test would cost at most',
    },
    example: 'upstream test openai --estimate',
    asksServer: true,
    withoutDatabase: (input, config, context) =>
      testWithoutStore(config, input as Parameters<typeof testWithoutStore>[1], context.environment().clouds),
    show: showTest,
  },
  {
    name: 'upstream certify',
    summary: 'test everything an upstream should support; asks first, because you pay for the calls',
    positionals: [ID],
    options: {
      'model MODEL': 'the model to call; default: the first one of each type routed to it',
      'server TEXT': 'name and version of the server, for the table',
      'record FOLDER': 'store the responses there, without keys, ids and account names',
      'max-cost USD': 'call nothing if the calls could cost more than this',
      yes: 'do not ask before calls are made',
    },
    example: 'upstream certify openai --model gpt-4.1 --yes',
    // A folder here; the operation records if it is asked to, for each call.
    input: () => ({ record: undefined }),
    asksServer: true,
    withoutDatabase: (input, config, context) =>
      certifyWithoutStore(config, input as Parameters<typeof certifyWithoutStore>[1], context.environment().clouds),
    drive: certifyInParts,
    show: showCertification,
  },
  {
    name: 'upstream models',
    summary: 'compare the models an upstream lists with the configured ones',
    positionals: [ID],
    example: 'upstream models openai',
    asksServer: true,
    show: showModels,
  },
  {
    name: 'model price-preview',
    summary: 'show what a request would cost, with its formula',
    positionals: [MODEL],
    options: {
      'group GROUP': 'the group of the key; default: default',
      'units NAME=N,...!': 'the usage of the request, by the names on receipts, such as input=1200,output=300',
    },
    example: 'model price-preview gpt-x --units input=1200,output=300',
    input: ({ values: { units = '' } }) => ({ units: unitsInput(units) }),
    asksServer: true,
    show: showPrice,
  },
  {
    name: 'model route-preview',
    summary: 'show where a request would go now, and why not elsewhere',
    positionals: [MODEL],
    options: {
      'key ID': "the id of the key; 'key list' shows it",
      'group GROUP': 'in place of --key: any key of this group; default: default',
      'protocol NAME': 'the protocol of the client, such as chat; shows what is translated',
    },
    example: 'model route-preview gpt-x --key 7',
    asksServer: true,
    show: showRoute,
  },
  {
    name: 'prices diff',
    summary: "compare your prices with the vendors' public ones",
    withoutDatabase: async (_, config) => compareWithList(config, readPriceList()),
    show: (compared) => describePrices(compared as PriceReport),
  },
])

/** With what is stored, unless a running server has the store, which then tells of it. */
async function configInForce(context: CommandContext, environment: Environment): Promise<FileConfig> {
  const config = await context.config(environment)
  const storage = await context.openStorage(environment).catch(() => undefined)
  if (!storage) return config
  try {
    return (await context.configuration(environment, storage)).assembled.config
  } finally {
    await storage.close()
  }
}

function describeState({ id, node, switch: switched, running_requests, http, keys }: ShownState): string {
  const why = switched.reason === null ? '' : ` (${switched.reason})`
  const since = switched.since === null ? '' : ` since ${switched.since} by ${switched.by}`
  const at = node === null ? '' : ` on node ${node}`
  const running = running_requests === null ? '' : `, ${running_requests} running requests`
  const rows = (keys ?? []).map(({ key, state, reason, until, cooling, latency_ms }) => {
    const resting = reason === null ? '' : `: ${reason}${until === null ? '' : ` until ${until}`}`
    const models = cooling.map((each) => `, ${each.model} cooling until ${each.until}`).join('')
    return `  key ${key}  ${state}${resting}${models}${latency_ms === null ? '' : `, ${latency_ms} ms`}\n`
  })
  return `${id}${at}: ${switched.state}${since}${why}${running}${http === null ? '' : `, HTTP/${http}`}\n${rows.join('')}`
}
