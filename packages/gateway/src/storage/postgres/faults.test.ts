import { expect, test } from 'bun:test'
import { StoreDown } from '../storage.ts'
import { type Fault, faultOf } from './faults.ts'

const fromServer = (errno: string, constraint?: string) => ({ code: 'ERR_POSTGRES_SERVER_ERROR', errno, constraint })

test.each<[string, unknown, Fault]>([
  ['serialization failure', fromServer('40001'), 'again'],
  ['deadlock', fromServer('40P01'), 'again'],
  ['lock_timeout', fromServer('55P03'), 'again'],
  ['the same request inserted twice', fromServer('23505', 'request_pkey'), 'again'],
  ['another unique violation', fromServer('23505', 'api_key_hash'), 'rejected'],
  ['statement_timeout', fromServer('57014'), 'down'],
  ['terminated by an administrator', fromServer('57P01'), 'down'],
  ['starting up', fromServer('57P03'), 'down'],
  ['too many connections', fromServer('53300'), 'down'],
  ['disk full', fromServer('53100'), 'down'],
  ['a standby', fromServer('25006'), 'down'],
  ['a prepared statement of another session', fromServer('26000'), 'down'],
  ['wrong password', fromServer('28P01'), 'down'],
  ['out of range', fromServer('22003'), 'rejected'],
  ['a check constraint', fromServer('23514'), 'rejected'],
  ['connection closed', { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }, 'down'],
  ['connection refused', { code: 'ERR_POSTGRES_CONNECTION_REFUSED' }, 'down'],
  ['a store known to be down', new StoreDown('x'), 'down'],
  ['a mistake of ours', new TypeError('x'), 'rejected'],
])('%s', (_, error, fault) => expect(faultOf(error)).toBe(fault))
