// The process that answers, what fills its disks, and the checks of `doctor`, as the admin API shows them.
import { boolean, fields, ID, listOf, nullable, number, string, TIME, word } from '../../request/schema/schema.ts'
import { resource } from './resource.ts'

export const SYSTEM = resource(
  'system',
  fields({
    id: ID,
    version: string(),
    runtime: string(),
    database: word('sqlite', 'postgres'),
    node_id: ID,
    workers: number(),
    started_at: TIME,
    configuration: fields({ file: nullable(string()), revision: number(), hash: string() }),
    price_list: nullable(string('The date of the built-in price list, if prices come from it.')),
    warnings: listOf(string('What is valid in the configuration, but probably not intended.')),
    certificates: listOf(
      fields({
        file: string(),
        names: listOf(string()),
        issuer: string(),
        valid_from: nullable(TIME),
        expires_at: nullable(TIME),
        error: nullable(string('Why it cannot be read.')),
      }),
    ),
  }),
)

export const SIZES = resource(
  'sizes',
  fields({
    id: ID,
    counted_at: nullable(TIME),
    tables: nullable(
      listOf(
        fields({
          table: string(),
          bytes: number('With indexes; an estimate.'),
          rows: nullable(number('An estimate.')),
        }),
      ),
    ),
    folders: listOf(
      fields({
        name: string(),
        path: string(),
        bytes: number(),
        files: number(),
        complete: boolean('Whether all files were counted.'),
      }),
    ),
    contents: listOf(fields({ name: string(), bytes: number(), limit: number() })),
    disks: listOf(fields({ path: string(), free: number(), total: number() })),
  }),
)

export const DOCTOR = resource(
  'doctor',
  fields({
    id: ID,
    checked_at: TIME,
    ok: boolean(),
    checks: listOf(
      fields({
        check: string(),
        ok: boolean(),
        note: string(),
        advice: nullable(string('What to do, if it failed.')),
        warnings: listOf(string()),
      }),
    ),
  }),
)

export const MAIL_TEST = resource(
  'mail_test',
  fields({ ok: boolean(), to: string(), server: string(), answer: string('What the mail server said.') }),
)
