// Section `sandbox`.
import { isMap } from 'yaml'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf, scalarText } from '../../yaml/fields.ts'
import { readBoolean } from '../../yaml/scalars.ts'
import { boolean, setting } from '../settings/setting.ts'

export const SANDBOX = {
  on: setting('', boolean, true, {
    en: 'The sandbox models. On by default while there is no real upstream.',
    zh: '沙盒模型。没有真实上游时默认开启。',
  }),
  faults: setting('faults', boolean, false, {
    en: 'Turns the sandbox on, and allows its fault switches beyond this machine. Excludes `sandbox`.',
    zh: '开启沙盒，并允许本机以外的客户端注入故障。不能与 `sandbox` 同时设置。',
  }),
}

/** `on` undefined: not in the file; the default depends on whether there is a real upstream. */
export type WrittenSandbox = { on: boolean | undefined; faults: boolean | undefined }

export function readSandboxSection(value: YamlValue): WrittenSandbox {
  if (!isMap(value.context.resolve(value.node))) {
    const text = scalarText(value, 'true, false or { faults: true }')
    if (text !== undefined && text !== 'true' && text !== 'false') {
      addMistake(value, 'expected true, false or { faults: true }')
    }
    return { on: text === undefined ? undefined : text === 'true', faults: undefined }
  }
  const fields = fieldsOf(value, { faults: true }, '{ faults: true }')
  return { on: true, faults: fields?.optional<boolean | undefined>('faults', readBoolean, undefined) }
}
