// A call of a route of the admin API.
import type { Actor } from '../administration/operation.ts'
import type { RoutedCall } from '../http-api/dispatch.ts'
import type { CompiledRoute } from './compile-routes.ts'

export type AdminCall = RoutedCall<CompiledRoute>

/** People and admin keys. */
export type AdminActor = Extract<Actor, { type: 'person' | 'admin-key' }>

/** Unique among people and admin keys. */
export const nameOf = ({ type, id }: AdminActor): string => `${type}/${id}`
