// Upstreams, models, groups, settings, and the stored configuration as a whole.
import type { Words } from './words.ts'

export const CATALOGUE_WORDS = {
  'upstream create': {
    did: { en: 'added the upstream {x}', zh: '添加了上游 {x}' },
  },
  'upstream change': {
    act: { en: 'Save', zh: '保存' },
    ask: { en: 'Change {x}?', zh: '修改 {x}？' },
    done: { en: '{x} was changed.', zh: '{x} 已修改。' },
    did: { en: 'changed the upstream {x}', zh: '修改了上游 {x}' },
  },
  'upstream delete': {
    act: { en: 'Delete', zh: '删除' },
    ask: { en: 'Delete {x}?', zh: '删除 {x}？' },
    text: {
      en: 'Its keys stay in earlier revisions until you erase them.',
      zh: '其密钥仍保留在旧版本中，直到被彻底清除。',
    },
    done: { en: '{x} was deleted.', zh: '{x} 已删除。' },
    did: { en: 'deleted the upstream {x}', zh: '删除了上游 {x}' },
  },
  'upstream key add': {
    act: { en: 'Add a key', zh: '添加密钥' },
    ask: { en: 'Add a key to {x}', zh: '为 {x} 添加密钥' },
    done: { en: 'The key was added.', zh: '密钥已添加。' },
    did: { en: 'added a key to the upstream {x}', zh: '为上游 {x} 添加了密钥' },
  },
  'upstream key replace': {
    act: { en: 'Replace', zh: '替换' },
    ask: { en: 'Replace the key {x}', zh: '替换密钥 {x}' },
    text: {
      en: 'The upstream has accepted the new key, or could not be asked. Running requests keep the old one.',
      zh: '上游已接受新密钥，或暂时无法询问。进行中的请求继续使用旧密钥。',
    },
    done: { en: 'The key was replaced.', zh: '密钥已替换。' },
    did: { en: 'replaced a key of the upstream {x}', zh: '替换了上游 {x} 的一个密钥' },
  },
  'upstream key remove': {
    did: { en: 'removed a key of the upstream {x}', zh: '移除了上游 {x} 的一个密钥' },
  },
  'upstream key erase': {
    did: { en: 'erased a secret of the upstream {x}', zh: '彻底清除了上游 {x} 的一个密钥' },
  },
  'upstream enable': {
    act: { en: 'Enable', zh: '启用' },
    ask: { en: 'Send requests to {x} again?', zh: '重新向 {x} 发送请求？' },
    done: { en: '{x} gets requests again.', zh: '{x} 重新接收请求。' },
    did: { en: 'enabled the upstream {x}', zh: '启用了上游 {x}' },
  },
  'upstream disable': {
    act: { en: 'Disable', zh: '停用' },
    ask: { en: 'Disable {x}?', zh: '停用 {x}？' },
    text: {
      en: 'It immediately gets no new requests, on all nodes. Running requests continue.',
      zh: '所有节点立即停止向其发送新请求，运行中的请求会继续。',
    },
    done: { en: '{x} is disabled.', zh: '{x} 已停用。' },
    did: { en: 'disabled the upstream {x}', zh: '停用了上游 {x}' },
  },
  'upstream drain': {
    act: { en: 'Drain', zh: '排空' },
    ask: { en: 'Drain {x}?', zh: '排空 {x}？' },
    text: {
      en: 'It gets no new requests. Running requests and tasks continue.',
      zh: '不再接收新请求，运行中的请求和任务会继续。',
    },
    done: { en: '{x} is draining.', zh: '{x} 正在排空。' },
    did: { en: 'drained the upstream {x}', zh: '将上游 {x} 设为排空' },
  },
  'upstream reset': {
    act: { en: 'Reset health', zh: '重置健康状态' },
    ask: { en: 'Reset the health of {x}?', zh: '重置 {x} 的健康状态？' },
    text: {
      en: 'Closes the circuit breaker and ends the cool-downs of its keys, on all nodes.',
      zh: '在所有节点上关闭熔断器，并结束其密钥的冷却。',
    },
    done: { en: 'The health of {x} was reset.', zh: '{x} 的健康状态已重置。' },
    did: { en: 'reset the health of the upstream {x}', zh: '重置了上游 {x} 的健康状态' },
  },
  'upstream test': {
    did: { en: 'tested the upstream {x}', zh: '测试了上游 {x}' },
  },
  'upstream certify': {
    did: { en: 'certified the upstream {x}', zh: '对上游 {x} 做了认证测试' },
  },
  'upstream draft-test': {
    did: { en: 'tested the upstream {x} before adding it', zh: '在添加前测试了上游 {x}' },
  },
  'model create': {
    act: { en: 'Add', zh: '添加' },
    ask: { en: 'Add the model {x}?', zh: '添加模型 {x}？' },
    done: { en: '{x} was added.', zh: '{x} 已添加。' },
    did: { en: 'added the model {x}', zh: '添加了模型 {x}' },
  },
  'model change': {
    act: { en: 'Save', zh: '保存' },
    ask: { en: 'Change the model {x}?', zh: '修改模型 {x}？' },
    done: { en: '{x} was changed.', zh: '{x} 已修改。' },
    did: { en: 'changed the model {x}', zh: '修改了模型 {x}' },
  },
  'model price': {
    act: { en: 'Change the price', zh: '修改售价' },
    ask: { en: 'Change the price of {x}?', zh: '修改 {x} 的售价？' },
    done: { en: 'The price of {x} was changed.', zh: '{x} 的售价已修改。' },
    did: { en: 'set the price of {x}', zh: '设置了 {x} 的价格' },
  },
  'model delete': {
    act: { en: 'Delete', zh: '删除' },
    ask: { en: 'Delete the model {x}?', zh: '删除模型 {x}？' },
    text: {
      en: 'Requests for it are rejected from then on. Restore the previous revision to bring it back.',
      zh: '此后对该模型的请求会被拒绝。恢复之前的版本可以找回它。',
    },
    done: { en: '{x} was deleted.', zh: '{x} 已删除。' },
    did: { en: 'deleted the model {x}', zh: '删除了模型 {x}' },
  },
  'group create': {
    act: { en: 'Add', zh: '添加' },
    ask: { en: 'Add the group {x}?', zh: '添加分组 {x}？' },
    done: { en: 'The group {x} was added.', zh: '分组 {x} 已添加。' },
    did: { en: 'added the group {x}', zh: '添加了分组 {x}' },
  },
  'group change': {
    act: { en: 'Save', zh: '保存' },
    ask: { en: 'Change the group {x}?', zh: '修改分组 {x}？' },
    done: { en: 'The group {x} was changed.', zh: '分组 {x} 已修改。' },
    did: { en: 'changed the group {x}', zh: '修改了分组 {x}' },
  },
  'group price': {
    did: { en: 'set the prices of the group {x}', zh: '设置了分组 {x} 的价格' },
  },
  'group delete': {
    act: { en: 'Delete', zh: '删除' },
    ask: { en: 'Delete the group {x}?', zh: '删除分组 {x}？' },
    text: {
      en: 'Keys in this group are rejected until they are moved to another.',
      zh: '此分组的密钥会被拒绝，直到改用其他分组。',
    },
    done: { en: 'The group {x} was deleted.', zh: '分组 {x} 已删除。' },
    did: { en: 'deleted the group {x}', zh: '删除了分组 {x}' },
  },
  'settings change': {
    act: { en: 'Save', zh: '保存' },
    ask: { en: 'Change {x}?', zh: '修改 {x}？' },
    done: { en: 'Saved and in effect.', zh: '已保存并生效。' },
    did: { en: 'changed settings', zh: '修改了设置' },
  },
  'config import': {
    act: { en: 'Import', zh: '导入' },
    ask: { en: 'Import these entries?', zh: '导入这些条目？' },
    done: { en: 'Imported and in effect.', zh: '已导入并生效。' },
    did: { en: 'stored entries of the configuration', zh: '写入了配置条目' },
  },
  'configuration file': {
    did: { en: 'read a new version of the configuration file {x}', zh: '读取了新版本的配置文件 {x}' },
  },
  'revision restore': {
    act: { en: 'Restore', zh: '恢复' },
    ask: { en: 'Restore revision {x}?', zh: '恢复到版本 {x}？' },
    text: {
      en: 'All stored entries are restored to that state, as a new revision. File and environment do not change.',
      zh: '所有已存储的条目将恢复为当时的内容，并记为一个新版本。文件和环境变量不受影响。',
    },
    done: { en: 'Revision {x} was restored.', zh: '已恢复到版本 {x}。' },
    did: { en: 'restored the revision {x}', zh: '恢复到版本 {x}' },
  },
} as const satisfies Words
