// Section `callbacks`: where reports about tasks may be sent.

import type { YamlValue } from '../../yaml/document.ts'
import { fieldsOf } from '../../yaml/fields.ts'
import { boolean, readRows, rulesOf, setting } from '../settings/setting.ts'

export const CALLBACKS = {
  allowPrivate: setting('allow_private', boolean, false, {
    en: 'Callbacks of tasks may go to private addresses.',
    zh: '任务回调可以发往内网地址。',
    mark: 'file only',
  }),
}

export function readCallbacks(value: YamlValue) {
  const fields = fieldsOf(value, rulesOf(CALLBACKS), 'callbacks: { allow_private: true }')
  return fields && readRows(fields, CALLBACKS)
}
