// Section `callbacks`: where reports about tasks may be sent.

import type { YamlValue } from '../../yaml/document.ts'
import { FILE_ONLY, fieldsOf } from '../../yaml/fields.ts'
import { readBoolean } from '../../yaml/scalars.ts'
import type { FileConfig } from '../types.ts'

type Callbacks = FileConfig['callbacks']

export const CALLBACK_DEFAULTS: Callbacks = { allowPrivate: false }

export function readCallbacks(value: YamlValue): Callbacks | undefined {
  const fields = fieldsOf(value, { allow_private: FILE_ONLY }, 'callbacks: { allow_private: true }')
  return fields && { allowPrivate: fields.optional('allow_private', readBoolean, CALLBACK_DEFAULTS.allowPrivate) }
}
