// Section `sandbox`.
import { isMap } from 'yaml'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf, scalarText } from '../../yaml/fields.ts'
import { readBoolean } from '../../yaml/scalars.ts'

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
