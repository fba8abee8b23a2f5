import { expect, test } from 'bun:test'
import { rejectStored } from './stored-state.ts'

test('a conversation that the vendor keeps is not translated without its earlier turns', () => {
  const thread = { type: 'continue', previous_message_id: 'msg_1' }
  expect(() => rejectStored({ model: 'm', thread })).toThrow('send the whole conversation')
  for (const other of [undefined, null, { type: 'create' }]) rejectStored({ model: 'm', thread: other })
})
