// The routes of the admin API as the dispatcher runs them: how input is read, and what is sent of a result.
import type { TObject } from 'typebox'
import type { AdminMethod } from '../administration/admin-route.ts'
import type { Operation } from '../administration/operation.ts'
import { TRAFFIC_FIELDS } from '../administration/resources/resource.ts'
import { pickerOf } from '../http-api/pick-output.ts'
import { type ListedAdminRoute, listAdminRoutes } from './list-routes.ts'

export type CompiledRoute = ListedAdminRoute & {
  operation: Operation
  /** The result as it is sent. `cursor`: of a list: what was asked for. */
  render(result: unknown, isBackward: boolean): Rendered
  /** The route that shows the resource which this one changes; undefined: it creates one, or belongs to none. */
  shownBy: CompiledRoute | undefined
}
export type Rendered = Readonly<Record<string, unknown>>

export function compileAdminRoutes(): CompiledRoute[] {
  const compiled = listAdminRoutes().map(compile)
  for (const route of compiled) route.shownBy = shownBy(route, compiled)
  return compiled
}

function compile(listed: ListedAdminRoute): CompiledRoute {
  const { operation, output, list, resource } = listed.route
  const entry = entryOf(output, resource)
  const render = (result: unknown, isBackward: boolean): Rendered =>
    list ? page(result as Page, entry, isBackward) : entry(result)
  return { ...listed, operation, render, shownBy: undefined }
}

/** A change of `keys/{key}`, or below it, is one of what `GET keys/{key}` shows. */
function shownBy(
  { method, path, route }: ListedAdminRoute,
  routes: readonly CompiledRoute[],
): CompiledRoute | undefined {
  if (method === 'GET' || route.changesPerson) return undefined
  const segments = path.split('/')
  for (let length = segments.length; length > 0; length -= 1) {
    const above = segments.slice(0, length).join('/')
    const found = routes.find((each) => each.method === 'GET' && each.path === above && !each.route.list)
    if (found) return found
  }
  return undefined
}

type Page = { items: readonly Readonly<Record<string, unknown>>[]; next: string | null }

/** A page may be short although there are more, so `next` is where the list goes on, whatever its last entry is. */
function page({ items, next }: Page, entry: (row: unknown) => Rendered, isBackward: boolean): Rendered {
  const [first = null, last = null] = [idOf(items[0]), idOf(items.at(-1))]
  return {
    object: 'list',
    data: items.map(entry),
    has_more: next !== null,
    first_id: (isBackward ? next : null) ?? first,
    last_id: (isBackward ? null : next) ?? last,
  }
}

const idOf = (row: Readonly<Record<string, unknown>> | undefined): string | undefined =>
  row === undefined ? undefined : String(row.id)

function entryOf(output: TObject, resource: string | undefined): (result: unknown) => Rendered {
  const pick = pickerOf(output)
  const [object] = (output.properties.object as unknown as { enum: readonly string[] }).enum
  return (result) => {
    const row = flat(result as Readonly<Record<string, unknown>>, resource)
    // What a row itself calls its object is what it is about.
    const target = typeof row.object === 'string' ? { target: row.object } : {}
    return pick({ ...row, ...target, object }) as Rendered
  }
}

function flat(result: Readonly<Record<string, unknown>>, resource: string | undefined) {
  if (resource === undefined) return result
  if (Array.isArray(result)) return { [resource]: result }
  const { [resource]: own, ...beside } = result
  return { ...(own as object), ...beside } as Readonly<Record<string, unknown>>
}

/** A strong validator of what an operator can change of the resource. */
export function tagOf(rendered: Rendered): string {
  const text = JSON.stringify(rendered, (name, value) => (TRAFFIC_FIELDS.has(name) ? undefined : value))
  return `"${Bun.SHA256.hash(text, 'base64').slice(0, 22).replaceAll('+', '-').replaceAll('/', '_')}"`
}

export const isChange = (method: AdminMethod): boolean => method !== 'GET'
