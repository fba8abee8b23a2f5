// The routes of the admin API.
import type { BodyOf, Method, OutputOf, ParamsOf, PathOf } from '../../api/routes.ts'

export type { DryRun, Method, Schemas } from '../../api/routes.ts'
export type ChangeMethod = Exclude<Method, 'GET'>

export type Path<M extends Method> = PathOf<'admin', M>
export type Output<M extends Method, P extends string> = OutputOf<'admin', M, P>
export type Params<M extends Method, P extends string> = ParamsOf<'admin', M, P>
export type Body<M extends ChangeMethod, P extends string> = BodyOf<'admin', M, P>

/** The entries of a list. */
export type Row<P extends Path<'GET'>> = Output<'GET', P> extends { data: (infer T)[] } ? T : never
export type ListPath = { [P in Path<'GET'>]: Output<'GET', P> extends { object: 'list' } ? P : never }[Path<'GET'>]
