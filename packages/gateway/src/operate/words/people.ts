// People with a role, invitations and admin keys.
import type { Words } from './words.ts'

export const PEOPLE_WORDS = {
  'person role': {
    act: { en: 'Change role', zh: '更改角色' },
    ask: { en: 'Change the role of {x}?', zh: '更改 {x} 的角色？' },
    done: { en: 'The role of {x} was changed.', zh: '已更改 {x} 的角色。' },
    did: { en: 'changed the role of {x}', zh: '修改了 {x} 的角色' },
  },
  'person disable': {
    act: { en: 'Disable', zh: '停用' },
    ask: { en: 'Disable {x}?', zh: '停用 {x}？' },
    text: {
      en: 'They can no longer sign in, and their role and admin keys are suspended until they are enabled again. API keys of their accounts keep working.',
      zh: '此人将无法登录，其角色和管理密钥在重新启用前暂停。其账户的 API 密钥继续有效。',
    },
    done: { en: '{x} was disabled.', zh: '已停用 {x}。' },
    did: { en: 'disabled {x}', zh: '停用了 {x}' },
  },
  'person enable': {
    act: { en: 'Enable', zh: '启用' },
    ask: { en: 'Enable {x}?', zh: '启用 {x}？' },
    text: {
      en: 'They can sign in again. Their role and the admin keys that they created work again.',
      zh: '此人可以重新登录，其角色和所创建的管理密钥恢复有效。',
    },
    done: { en: '{x} was enabled.', zh: '已启用 {x}。' },
    did: { en: 'enabled {x}', zh: '启用了 {x}' },
  },
  'invitation create': {
    act: { en: 'Invite', zh: '邀请' },
    ask: { en: 'Invite {x}?', zh: '邀请 {x}？' },
    done: { en: 'The invitation was created.', zh: '已创建邀请。' },
    did: { en: 'created an invitation', zh: '创建了邀请' },
  },
  'invitation revoke': {
    act: { en: 'Revoke', zh: '撤回' },
    ask: { en: 'Revoke the invitation for {x}?', zh: '撤回对 {x} 的邀请？' },
    done: { en: 'The invitation was revoked.', zh: '已撤回邀请。' },
    did: { en: 'revoked the invitation {x}', zh: '撤回了邀请 {x}' },
  },
  'admin-key create': {
    act: { en: 'Create', zh: '创建' },
    ask: { en: 'Create the admin key {x}?', zh: '创建管理密钥 {x}？' },
    done: { en: 'The admin key {x} was created.', zh: '已创建管理密钥 {x}。' },
    did: { en: 'created the admin key {x}', zh: '创建了管理密钥 {x}' },
  },
  'admin-key delete': {
    act: { en: 'Delete', zh: '删除' },
    ask: { en: 'Delete the admin key {x}?', zh: '删除管理密钥 {x}？' },
    text: {
      en: 'Scripts that use it get 401 immediately. This cannot be undone.',
      zh: '使用它的脚本将立即收到 401。此操作无法撤销。',
    },
    done: { en: 'The admin key {x} was deleted.', zh: '已删除管理密钥 {x}。' },
    did: { en: 'deleted the admin key {x}', zh: '删除了管理密钥 {x}' },
  },
} as const satisfies Words
