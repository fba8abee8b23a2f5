// Every request below /admin/v1: whether it is served, route, credential, permission, input, operation, errors.
import { compileCidrs, matchesCidrs } from '@trivium/http/addresses/client-address.ts'
import { type HttpResponse, json } from '@trivium/http/response.ts'
import type { TObject } from 'typebox'
import { transferred } from '../http-api/compress.ts'
import { createConcurrentCalls } from '../http-api/concurrent-calls.ts'
import { createApiDispatch, nothingAt } from '../http-api/dispatch.ts'
import { fileResponse } from '../http-api/files/file-response.ts'
import type { Origin } from '../http-api/origin.ts'
import { ApiRejection } from '../http-api/rejection.ts'
import type { ExportFormat } from '../operate/admin-route.ts'
import { may, type OperationContext, perform, rehearse, seesCosts } from '../operate/operation.ts'
import { rejected } from '../operate/rejections.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { createSharedResults } from '../sharing/shared-results.ts'
import { changeResource } from './change-resource.ts'
import { type AdminActor, checkSecondFactor, credentialOf, type Identified, identify, nameOf } from './credentials.ts'
import type { AdminDependencies } from './dependencies.ts'
import { respondTo } from './errors.ts'
import { EXPORT_LIMITS, EXPORT_RUNS, EXPORT_TYPES, EXPORTS_AT_ONCE, type ExportPage, exportPages } from './export.ts'
import { type Ended, idempotencyKeyOf, once } from './idempotency.ts'
import { type Input, readInput } from './read-input.ts'
import { type AdminCall, adminRoutes, type ServedRoute, tagOf } from './routes.ts'

/** `path`: what follows /admin/v1/, still percent-encoded. */
export type AdminDispatch = (incoming: ApiRequest, path: string) => Promise<HttpResponse>

/** Changes at the same time. */
const LIMITS = { most: 64, mostOfOne: 8 }
/** The same, with those whose credential is being looked up: by network, until it is known. */
const LOOKUPS = { most: 64, mostOfOne: 16 }

const ADMITTED = { release() {} }
const PREFIX = '/admin/v1/'

export function createAdminDispatch(deps: AdminDependencies): AdminDispatch {
  // A change has its slot of admission control since its lookup.
  const changes = createConcurrentCalls(() => ADMITTED, LIMITS)
  const lookups = createConcurrentCalls(deps.admit, LOOKUPS)
  const shared = createSharedResults(() => performance.now())
  const exports = createConcurrentCalls(() => ADMITTED, EXPORTS_AT_ONCE, EXPORT_RUNS)

  const contextFor = (
    actor: AdminActor,
    { isDryRun = false, reason = '' }: Partial<Pick<Input, 'isDryRun' | 'reason'>> = {},
  ): OperationContext => ({
    ...deps.context(),
    actor,
    dryRun: isDryRun,
    reason,
  })

  const isRead = ({ method }: ServedRoute) => method === 'GET'
  const { dispatch, readers } = createApiDispatch(
    {
      prefix: PREFIX,
      routes: adminRoutes(),
      checkOrigin: checkServed,
      credentialOf: (http) => credentialOf({ http }, deps),
      isRead,
      respondTo: (error, incoming) => respondTo(error, incoming, deps),
    },
    deps,
  )
  return (incoming, path) =>
    dispatch(incoming, path, (call, reader) =>
      isRead(call.route) ? read(call) : lookups(String(reader), () => change(call)),
    )

  function checkServed({ address }: Origin): void {
    const { admin, adminNetworks } = deps.config().server
    if (!admin) throw nothingAt(PREFIX)
    if (adminNetworks.length > 0 && !matchesCidrs(address, compileCidrs(adminNetworks).cidrs))
      throw new ApiRejection({
        code: 'address_not_allowed',
        message: `The admin API may not be used from ${address || 'an unknown address'}.`,
      })
  }

  async function identified(call: AdminCall): Promise<Identified> {
    const credential = credentialOf(call, deps)
    const isKnown = credential !== undefined && readers.isKnown(credential)
    const found = await identify(call, deps, isKnown)
    readers.note(credential, found.account)
    checkPermission(call.route, found.actor)
    return found
  }

  async function read(call: AdminCall): Promise<HttpResponse> {
    const { route, query, headers, http } = call
    const { actor, account } = await identified(call)
    const { input, format } = await readInput(call, deps)
    if (format) return await exports(nameOf(actor), () => exported(call, format, input, account))
    const show = async () => route.render(await perform(route.operation, contextFor(actor), input), query.has('before'))
    if (route.declared.isShared) {
      const body = await shared.get(sharedName(call, actor), async () => Buffer.from(JSON.stringify(await show())))
      return await transferred(http, { ...json(route.status, headers, null), body })
    }
    const rendered = await show()
    const tag = route.declared.list ? undefined : tagOf(rendered)
    return await transferred(http, json(route.status, headers, rendered), tag)
  }

  /** With `limit` or `before`: that page. The caller may lose the role while a long file is read, so each page looks it up again. */
  function exported(
    call: AdminCall,
    format: ExportFormat,
    input: Input['input'],
    reader: bigint,
  ): Promise<HttpResponse> {
    const { route } = call
    const { operation, declared } = route
    const isOnePage = input.limit !== undefined || input.before !== undefined
    const takesLimit = Object.hasOwn((operation.input as TObject).properties, 'limit')
    async function read(after: string | undefined): Promise<ExportPage> {
      const { actor } = await identified(call)
      const from = after === undefined ? {} : { after }
      const size = takesLimit ? { limit: EXPORT_LIMITS.pageRows } : {}
      const result = await perform(operation, contextFor(actor), { ...size, ...input, ...from })
      const page = route.render(result, input.before !== undefined) as ExportPage
      return isOnePage ? { ...page, has_more: false } : page
    }
    const name = `${route.path.replaceAll('/', '-')}.${format}`
    const pages = exportPages({ format, schema: declared.output, read, clock: deps.clock })
    return fileResponse(call, { name, type: EXPORT_TYPES[format] }, pages, reader, deps)
  }

  async function change(call: AdminCall): Promise<HttpResponse> {
    const first = await identified(call)
    return await changes(nameOf(first.actor), async () => {
      const input = await readInput(call, deps)
      // A body may arrive slowly: what the caller may do is looked up again when it is there.
      const caller = input.bytes.length === 0 ? first : await identified(call)
      const { actor } = caller
      await checkSecondFactor(caller, call.route.operation, input, deps)
      const key = idempotencyKeyOf(call)
      const { reference } = call.route.declared
      if (key === undefined || input.isDryRun) return ended(await performed(call, actor, input), call)
      const named = reference === undefined ? input : withReference(input, reference, `${nameOf(actor)} ${key}`)
      const mayRepeat = reference !== undefined
      return await once(key, { call, actor, bytes: input.bytes, mayRepeat }, () => performed(call, actor, named), deps)
    }).finally(shared.clear)
  }

  async function performed(call: AdminCall, actor: AdminActor, given: Input): Promise<Ended> {
    const { route, parameters, http } = call
    const context = contextFor(actor, given)
    const { shownBy } = route
    const work = () => outcomeOf(route, context, given.input)
    if (shownBy === undefined) return await work()
    const show = async () =>
      shownBy.render(await perform(shownBy.operation, context, parametersOf(shownBy, parameters)), false)
    return await changeResource({ ifMatch: http.headers.get('if-match'), show, work }, deps.store)
  }
}

const ended = ({ status, body }: Ended, { headers }: AdminCall): HttpResponse => json(status, headers, body)

async function outcomeOf(route: ServedRoute, context: OperationContext, input: Input['input']): Promise<Ended> {
  if (context.dryRun) return { status: 200, body: await rehearse(route.operation, context, input) }
  return { status: route.status, body: route.render(await perform(route.operation, context, input), false) }
}

/** The parameters of a route that is above another one in its path. */
const parametersOf = ({ parameters: { properties } }: ServedRoute, given: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(properties, name)))

/** What a shared response depends on: of the permissions only whether costs are in it. */
const sharedName = ({ route, parameters, query }: AdminCall, actor: AdminActor): string =>
  JSON.stringify([seesCosts(actor), route.path, parameters, query.toString()])

const withReference = (input: Input, field: string, value: string): Input => ({
  ...input,
  input: { [field]: value, ...input.input },
})

/** What a role may not see does not exist for it; what it may not change is named with the permission that it lacks. */
function checkPermission({ method, path, policy }: ServedRoute, actor: AdminActor): void {
  if (may(actor, policy)) return
  throw method === 'GET' ? nothingAt(PREFIX + path) : rejected('forbidden', { permission: policy })
}
